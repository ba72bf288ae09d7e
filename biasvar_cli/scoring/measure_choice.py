"""Which measures of score files ``-m`` asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measure_syntax import names_in
from biasvar_cli.measures import asked_name
from biasvar_cli.words import examples, near_names


def names_among(arguments: Sequence[str], there: Iterable[str]) -> list[str]:
    """The names that ``arguments`` ask for, each once, where score files have the measures ``there``.

    An argument that is a name in the files is that name, blanks and all; another one may hold several. What is not in
    the files keeps ir-measures' spelling, or its own.

    >>> names_among(["map ndcg@10", "my score"], ["AP", "nDCG@10", "my score"])
    ['AP', 'nDCG@10', 'my score']
    """
    known = tuple(dict.fromkeys(there))
    found: list[str] = []
    for argument in arguments:
        whole = matching(argument.strip(), known)
        words = names_in(argument) or [argument]
        found += [whole] if whole is not None else [matching(word, known) or asked_name(word) or word for word in words]
    return list(dict.fromkeys(found))


def matching(name: str, there: Iterable[str]) -> str | None:
    """The one of some measures that a name asks for: itself, by ir-measures' spelling, or in any case; None if none is.

    Raises `UsageError` for a name that is two of them but for its case.

    >>> matching("NDCG_CUT_10", ["AP", "nDCG@10"]), matching("Own", ["own", "AP"]), matching("P@10", ["AP"])
    ('nDCG@10', 'own', None)
    """
    known = list(there)
    spelled = asked_name(name)
    for exact in (name, spelled):
        if exact in known:
            return exact
    alike = [each for each in known if each.lower() in (name.lower(), (spelled or name).lower())]
    if len(alike) > 1:
        raise UsageError(f"-m {name}: the scores have {' and '.join(alike)}; write the one you want as they do")
    return alike[0] if alike else None


def absent_measures(names: Sequence[str | None], there: Sequence[str | None], path: str) -> DataError:
    """The error of measures that a file does not have: near ones that it has, and the first of them all."""
    known = [each for each in there if each is not None]
    missing = [str(name) for name in names if name not in there]
    near = list(dict.fromkeys(each for name in missing for each in near_names(name, known)))
    has = examples(known, 8) if known else "an unknown measure"
    hint = f"did you mean {' or '.join(near[:3])}? " if near else ""
    return DataError(f"has no {' and no '.join(missing)}; {hint}it has {has}", path=path)
