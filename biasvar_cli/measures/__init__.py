"""Measures by their names, as ir-measures and trec_eval write them.

ir-measures' own parser fails on Python 3.14 and reports a bad name by whichever exception it meets first, so its
objects are built here from its registry and its declared parameters. What else is known of a measure is in `table`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from biasvar_cli.errors import UsageError
from biasvar_cli.measures import catalogue
from biasvar_cli.measures.catalogue import MEASURES, Record, cost_of, fault, fault_between, names_in, parts_of
from biasvar_cli.words import Better, argument, near_names

if TYPE_CHECKING:
    import ir_measures

_LONGEST = 1000  # letters; a longer text in a file is no name of a measure
_LONG = 5  # letters of a name in which one may be wrong
_BASE_AND_CUTOFF = re.compile(r"([A-Za-z_]*[A-Za-z])[@_.]?(\d+(?:\.\d+)?)?")

COUNTS = frozenset(name for name, record in MEASURES.items() if record.is_count)
DIVERSITY = frozenset(name for name, record in MEASURES.items() if record.subtopics)


class _UnknownMeasure(UsageError):
    """A name that is no measure's: ``base`` before its cutoff ``at``."""

    def __init__(self, name: str, base: str, at: Any = None) -> None:
        super().__init__(f"unknown measure {name!r}")
        self.base, self.at = base, at


def parse_measures(arguments: Sequence[str]) -> list[ir_measures.Measure]:
    """The measures that ``arguments`` ask for, each once, in the order asked; an argument may hold several names.

    A name is ir-measures' (``nDCG@20``, ``P(rel=2)@10``) or trec_eval's (``ndcg_cut_20``, ``ndcg_cut.10,20``), in any
    case. Raises `UsageError`, one line per bad name, with near names.

    >>> [str(measure) for measure in parse_measures(["map P(rel=2)@10", "AP", "ndcg_cut.10,20", "mrr"])]
    ['AP', 'P(rel=2)@10', 'nDCG@10', 'nDCG@20', 'RR']
    >>> parse_measures(["nDGC@20", "P"])
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: unknown measure 'nDGC@20'; did you mean nDCG@20 or alpha_nDCG@20?
    measure 'P' needs its cutoff: P@10
    """
    measures: dict[str, ir_measures.Measure] = {}  # by what is the same whatever the order of parameters
    faults: list[str] = []
    for name in (name for text in arguments for name in names_in(text) or [text]):
        try:
            measure = _measure_called(name)
        except _UnknownMeasure as error:
            faults.append(f"{error.message}{_near_names(error.base, error.at)}")
        except UsageError as error:
            faults.append(error.message)
        else:
            measures.setdefault(f"{measure.NAME}{sorted(measure.params.items())}", measure)
    if faults:
        raise UsageError("\n".join(dict.fromkeys(faults)))
    return list(measures.values())


def spelled_names(arguments: Sequence[str]) -> list[str]:
    """The names that ``arguments`` ask for, each once: ir-measures' spelling, and unknown ones as they are.

    An argument of several words without a measure among them is one name: scores may be of anything.

    >>> spelled_names(["map ndcg@10", "AP", "my own score"])
    ['AP', 'nDCG@10', 'my own score']
    """
    names_wanted: list[str] = []
    for text in arguments:
        names = [(name, spelled_name(name)) for name in names_in(text)]
        known = len(names) == 1 or any(name is not None for _, name in names)
        names_wanted += [name or typed for typed, name in names] if known else [text.strip()]
    return list(dict.fromkeys(names_wanted))


def names_among(arguments: Sequence[str], there: Iterable[str]) -> list[str]:
    """The names that ``arguments`` ask for, each once, where score files have the measures ``there``.

    An argument that is a name in the files is that name, blanks and all; another one may hold several. What is not in
    the files keeps ir-measures' spelling, or its own.

    >>> names_among(["map ndcg@10", "my score"], ["AP", "nDCG@10", "my score"])
    ['AP', 'nDCG@10', 'my score']
    """
    known = tuple(dict.fromkeys(there))
    names_wanted: list[str] = []
    for text in arguments:
        whole = matching(text.strip(), known)
        words = names_in(text) or [text]
        names_wanted += (
            [whole] if whole is not None else [matching(word, known) or spelled_name(word) or word for word in words]
        )
    return list(dict.fromkeys(names_wanted))


def matching(name: str, there: Iterable[str]) -> str | None:
    """The one of some measures that a name asks for: itself, by ir-measures' spelling, or in any case; None if none is.

    Raises `UsageError` for a name that is two of them but for its case.

    >>> matching("NDCG_CUT_10", ["AP", "nDCG@10"]), matching("Own", ["own", "AP"]), matching("P@10", ["AP"])
    ('nDCG@10', 'own', None)
    """
    known = list(there)
    spelled = spelled_name(name)
    for exact in (name, spelled):
        if exact in known:
            return exact
    alike = [other for other in known if other.lower() in (name.lower(), (spelled or name).lower())]
    if len(alike) > 1:
        what = f"the scores have {' and '.join(alike)}; write the one you want as they do"
        raise UsageError(f"{argument(measure=name)}: {what}")
    return alike[0] if alike else None


def spelled_name(name: str) -> str | None:
    """ir-measures' spelling of a measure that somebody asks for, in any case; None if there is no such measure.

    >>> spelled_name("mrr@10"), spelled_name("Ndcg_cut_20"), spelled_name("bm25")
    ('RR@10', 'nDCG@20', None)
    """
    measure = _known(name, any_case=True)
    return None if measure is None else str(measure)


def meant(name: str) -> str | None:
    """The measure that somebody probably means by a name that is none: spelled alike, with the cutoff that was typed.

    Alike are names of the same letters in another order, and long ones that differ in one letter: DCG is no slip.
    None for a measure, and for a name that resembles none.

    >>> meant("nDGC@10"), meant("nDCG_10"), meant("Succes@5"), meant("DCG@10"), meant("nDCG@10")
    ('nDCG@10', 'nDCG@10', 'Success@5', None, None)
    """
    parts = _BASE_AND_CUTOFF.fullmatch(name.strip())
    if parts is None or spelled_name(name) is not None:
        return None
    import difflib

    base, cutoff = parts[1].lower(), parts[2]
    for measure in _registry():
        other = measure.lower()
        is_long = min(len(base), len(other)) >= _LONG and abs(len(base) - len(other)) <= 1
        is_near = is_long and difflib.SequenceMatcher(None, base, other).ratio() > 1 - 1 / _LONG
        if is_near or sorted(base) == sorted(other):
            spelled = spelled_name(f"{measure}@{cutoff}" if cutoff else measure)
            if spelled is not None:
                return spelled
    return None


def is_measure_object(value: object) -> bool:
    """Whether a value is one of ir-measures' own objects for measures.

    >>> is_measure_object(parse_measures(["AP"])[0]), is_measure_object("AP")
    (True, False)
    """
    import ir_measures

    return isinstance(value, ir_measures.measures.Measure)


def names_to_offer() -> list[str]:
    """Names that somebody may want to type: ir-measures' with a cutoff where one is needed, then trec_eval's.

    >>> [name for name in names_to_offer() if name in ("AP", "P", "P@10", "map", "num_q")]
    ['AP', 'P@10', 'map']
    """
    bases = dict.fromkeys(measure.__name__ for measure in _registry().values())
    forms = [
        *((base, f"{base}@10", f"{base}@0.1") for base in bases),
        *((name,) for name in catalogue.trec_eval_examples()),
    ]
    names = (next((name for name in form if spelled_name(name)), None) for form in forms)
    return [name for name in names if name is not None]


@lru_cache(maxsize=8192)
def _known(name: str, *, any_case: bool = False) -> ir_measures.Measure | None:
    """The measure that a file calls so, or with ``any_case`` that somebody asks for; None if it is none."""
    try:
        return (_measure_called if any_case else _parse)(name) if len(name) < _LONGEST else None
    except UsageError:
        return None


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """ir-measures' spelling of a measure's name; a name that it does not know stays as it is, without blanks around it.

    >>> canonical("ndcg_cut_10"), canonical("MAP"), canonical(" D#-nDCG@10")
    ('nDCG@10', 'AP', 'D#-nDCG@10')
    """
    measure = _known(name.strip())
    return name.strip() if measure is None else str(measure)


def is_measure(name: str) -> bool:
    """Whether a name is a measure of ir-measures or one of trec_eval's that it shares.

    >>> is_measure("ndcg_cut_10"), is_measure("ERR@20"), is_measure("bm25")
    (True, True, False)
    """
    return name[:1].isalpha() and _known(name) is not None


def trec_eval_name(name: str) -> str:
    """The name under which trec_eval 9 prints a measure; one that trec_eval does not have keeps its own.

    >>> [trec_eval_name(name) for name in ("map", "NumRelRet", "ERR@20")]
    ['map', 'num_rel_ret', 'ERR@20']
    """
    return catalogue.trec_eval_name(canonical(name))


def is_count(name: str) -> bool:
    """Whether a measure counts documents or queries, so that its values are whole and its ``all`` row is a sum.

    >>> is_count("num_rel_ret"), is_count("AP"), is_count("D#-nDCG@10")
    (True, False, False)
    """
    measure = _known(name)
    return measure is not None and measure.NAME in COUNTS


@lru_cache(maxsize=4096)
def value_range(name: str) -> tuple[float, float] | None:
    """The least and the largest value that a measure can have, None where they are not known.

    A name that ir-measures does not know is looked up by what stands before its cutoff, in any case, as gdeval and
    ndeval write it. Gains that a user sets may be below 0.

    >>> value_range("AP"), value_range("num_rel"), value_range("ERR-IA@20"), value_range("ESL"), value_range("D#-nDCG")
    ((0.0, 1.0), (0.0, inf), (0.0, 1.0), (0.0, inf), None)
    """
    measure = _known(name)
    if measure is not None:
        return None if "gains" in measure.params else _record(measure).bounds
    record = cost_of(name) or _respelled(name)
    return None if record is None else record.bounds


def _respelled(name: str) -> Record | None:
    """The record of a measure of ir-measures by what stands before its cutoff, as gdeval and ndeval write it."""
    return _by_spelling().get(re.split(r"@|_cut|_\d", name.lower().replace("-", "_"))[0])


@lru_cache(maxsize=1)
def _by_spelling() -> dict[str, Record]:
    """The first record of each spelling, in lower case."""
    spellings = ((base, record) for record in MEASURES.values() for base in (record.name.lower(), *record.spellings))
    return dict(reversed([*spellings]))


def direction(name: str | None) -> Better | None:
    """Whether more or less of a measure is better; None where that is not known.

    >>> direction("AP"), direction("ERR-IA@20"), direction("ESL"), direction("response time"), direction(None)
    ('more', 'more', 'less', None, None)
    """
    if name is None:
        return None
    record = cost_of(name)
    if record is not None:
        return record.better
    return "more" if _known(name) is not None or _respelled(name) is not None else None


def range_words(name: str) -> str:
    """The range of a measure that has one, as a message says it.

    >>> range_words("AP"), range_words("alpha_nDCG@20"), range_words("NumRel")
    ('AP is from 0 to 1', 'alpha_nDCG@20 is from 0 to 1.582', 'NumRel is at least 0')
    """
    low, high = value_range(name) or (-math.inf, math.inf)
    return f"{name} is at least {low:g}" if math.isinf(high) else f"{name} is from {low:g} to {high:.4g}"


def maximum_is_one(measure: ir_measures.Measure) -> bool:
    """Whether the best ranking of a topic with a relevant document always scores 1.

    >>> [maximum_is_one(measure) for measure in parse_measures(["AP", "AP@10", "nDCG@20", "ERR@20"])]
    [True, False, True, False]
    """
    reached = _record(measure).reaches_one
    return reached == "always" or (reached == "uncut" and "cutoff" not in measure.params)


def _record(measure: ir_measures.Measure) -> Record:
    """The record of a measure; an empty one for a measure that an ir-measures of the future adds."""
    return MEASURES.get(str(measure.NAME), Record(str(measure.NAME)))


def _registry() -> dict[str, Any]:
    """ir-measures' objects by name."""
    import ir_measures

    registry: dict[str, Any] = ir_measures.measures.registry
    return registry


@lru_cache(maxsize=1)
def _bases() -> dict[str, str]:
    """ir-measures' names by their lower case."""
    return {key.lower(): measure.__name__ for key, measure in _registry().items()}


def _measure_called(name: str) -> ir_measures.Measure:
    """A measure that somebody asks for: by its own spelling, or else in any case."""
    text = name.strip()
    base = re.split(r"[@(]", text)[0]
    reason = catalogue.not_of_a_query(base)
    if reason is not None:
        raise UsageError(f"measure {name!r} {reason}")
    if re.fullmatch(r"[\d.]+", text):
        raise UsageError(f"{name!r} is no measure; write each cutoff with its measure, as in P@5 P@10 or P.5,10")
    try:
        return _parse(name)
    except UsageError:
        respelled = f"{_bases().get(base.lower(), base)}{text[len(base) :]}"
        spelled = catalogue.shared_name(text, any_case=True) or respelled
        if spelled == text:
            raise
        return _build(name, spelled)


def _parse(name: str) -> ir_measures.Measure:
    return _build(name, catalogue.shared_name(name.strip()) or name.strip())


def _build(name: str, text: str) -> ir_measures.Measure:
    """The measure that ``text`` writes; errors call it ``name``. Raises `UsageError`."""
    parts = parts_of(text)
    if parts is None:
        if re.fullmatch(r"[\w.#+-]+", text):  # no expression, such as 11-pt_avg
            raise _UnknownMeasure(name, text)
        raise UsageError(f"cannot read measure {name!r}; write NAME, NAME@k or NAME(key=value)@k")
    base, params, at = parts
    if base not in _registry():
        raise _UnknownMeasure(name, base, at)
    measure = _registry()[base]
    if at is not None:
        params[measure.AT_PARAM] = at
    specs = measure.SUPPORTED_PARAMS
    for key, value in params.items():
        if key not in specs:
            raise UsageError(f"measure {name!r}: unknown parameter {key!r} (it has: {', '.join(specs) or 'none'})")
        wrong = fault(_record(measure), key, value, specs[key].dtype, specs[key].choices)
        if wrong:
            raise UsageError(f"measure {name!r}: {wrong}")
        params[key] = float(value) if specs[key].dtype is float else value
    wrong = fault_between(params)
    if wrong:
        raise UsageError(f"measure {name!r}: {wrong}")
    built: ir_measures.Measure = measure(**params)
    for key, spec in specs.items():
        if spec.required and key not in built.params:
            example = f"{base}@{10 if spec.dtype is int else 0.1}" if key == built.AT_PARAM else f"{base}({key}=1)"
            raise UsageError(f"measure {name!r} needs its {key}: {example}")
    return built


def _near_names(base: str, at: Any) -> str:
    """The measures that may be meant, with the cutoff that was typed where they can have it."""
    if base.lower().startswith(("iprec", "ircl_prn")):
        return "; did you mean IPrec@0.1?"
    registry = _registry()
    known = {name.lower(): name for name in catalogue.trec_eval_examples()}
    known |= {key.lower(): measure.__name__ for key, measure in registry.items()}
    near = []
    for name in dict.fromkeys(known[match] for match in near_names(base.lower(), known)):
        measure = registry.get(name)  # None for a name of trec_eval
        spec = measure and measure.SUPPORTED_PARAMS.get(measure.AT_PARAM)
        if at is None or measure is None:
            near.append(name if at is None else re.sub(r"_10$", f"_{at}", name))
        else:
            near.append(f"{name}@{at}" if spec is not None and isinstance(at, spec.dtype) else name)
    return f"; did you mean {' or '.join(near)}?" if near else ""
