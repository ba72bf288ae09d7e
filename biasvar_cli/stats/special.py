"""The functions of scipy.special that the tests call, from the one module of it that has them.

The import of the package takes ten times as long, .15 s: it also makes versions of them for other array libraries.
"""

import sys
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_functions(), name)


@cache
def _functions() -> ModuleType:
    """The module that has the functions; while it is imported, an empty package stands in the place of scipy.special.

    >>> round(float(_functions().ndtri(0.975)), 6)
    1.959964
    """
    name = "scipy.special"
    if name not in sys.modules:
        import scipy

        sys.modules[name] = package = ModuleType(name)
        package.__path__ = [f"{folder}/special" for folder in scipy.__path__]
        try:
            return import_module(f"{name}._ufuncs")
        except (ImportError, AttributeError):  # another release of scipy may have moved them
            pass
        finally:
            del sys.modules[name]
    return import_module(name)
