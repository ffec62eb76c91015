"""Results of the clients in Python."""


def result(name, tolerance, values):
    """Prints the numbers `values`, which tools/clients compares. `tolerance`: largest difference relative to the largest number."""
    numbers = values.ravel() if hasattr(values, "ravel") else [values]
    print("result", name, tolerance, *(repr(float(x)) for x in numbers), flush=True)
