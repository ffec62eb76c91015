"""Asynchronous calls."""
import gc
import threading
import time
from concurrent.futures import Future

import numpy as np
import pytest
import startile


def test_result():
    a = np.diag([2.0, 4.0])
    future = startile.submit(startile.solve, a, np.ones(2), assume_a="pos")
    assert isinstance(future, Future)
    assert np.allclose(future.result(), [0.5, 0.25])


def test_many():
    """Arrays that only the future keeps alive; results are those of the same order."""
    futures = [startile.submit(startile.inv, np.full((1, 1), k + 1.0)) for k in range(50)]
    gc.collect()
    assert [f.result()[0, 0] for f in futures] == [1 / (k + 1) for k in range(50)]


def test_exception():
    future = startile.submit(startile.inv, np.zeros((2, 2)))
    assert isinstance(future.exception(), startile.LinAlgError)
    with pytest.raises(ValueError, match="a must be square"):
        startile.submit(startile.inv, np.zeros((2, 1))).result()


def test_gil_is_released():
    """Another thread runs Python code during a call."""
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0001)

    thread = threading.Thread(target=tick)
    thread.start()
    a = np.random.default_rng(0).standard_normal((1200, 1200))
    began = time.perf_counter()
    startile.lu_factor(a, overwrite_a=True, check_finite=False)
    ended = time.perf_counter()
    done.set()
    thread.join()
    assert sum(began < t < ended for t in ticks) > 5
