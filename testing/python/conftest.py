"""Fixtures of several files."""
import pytest
import startile


@pytest.fixture
def calls(monkeypatch):
    """Names of the C functions that are called."""
    names = []
    call = startile._library.call

    def recorded(name, *arguments, **options):
        names.append(name)
        return call(name, *arguments, **options)

    for module in (startile._routines, startile._descriptors):
        monkeypatch.setattr(module, "call", recorded)
    return names
