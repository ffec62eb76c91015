"""The examples in docstrings."""
import doctest
import inspect

import numpy as np
import pytest
import startile

FUNCTIONS = [name for name in startile.__all__ if inspect.isfunction(getattr(startile, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_example(name):
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    (found,) = finder.find(getattr(startile, name), name, globs={"np": np, "startile": startile})
    result = runner.run(found)
    assert result.attempted > 0 and result.failed == 0
