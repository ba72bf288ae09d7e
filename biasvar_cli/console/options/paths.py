"""The types of options that are paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class _PathOrUrl(click.Path):
    """A path that exists, ``-``, or a URL, which is looked up when it is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


class _Qrels(_PathOrUrl):
    """A file of judgments, or a data set of ir_datasets, which is looked up when it is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from biasvar_cli.readers.sources import is_data_set

        return value if is_data_set(str(value)) else super().convert(value, param, ctx)


class _Judge(_Qrels):
    """A file of judgments, behind NAME= where that is no file by itself; the text stays as it was typed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name, equals, file = str(value).partition("=")
        if equals and name and file and not Path(str(value)).exists():
            super().convert(file, param, ctx)
            return value
        return super().convert(value, param, ctx)


INPUT = _PathOrUrl(exists=True, allow_dash=True)
FILE = _PathOrUrl(exists=True, dir_okay=False, allow_dash=True)
QRELS = _Qrels(exists=True, dir_okay=False, allow_dash=True)
JUDGE = _Judge(exists=True, dir_okay=False, allow_dash=True)
MANIFEST = click.Path(exists=True, dir_okay=False, allow_dash=True)
