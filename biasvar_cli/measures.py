"""Measure names, as ir-measures and trec_eval write them, to ir-measures objects.

ir-measures' own parser fails on Python 3.14 and reports a bad name by whichever exception it meets first, so the
objects are built here from ir-measures' registry and its declared parameters.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from biasvar_cli.errors import UsageError
from biasvar_cli.measure_parameters import fault, fault_between, with_cutoff
from biasvar_cli.measure_syntax import Parts, names_in, parts_of
from biasvar_cli.trec_eval_names import examples, not_of_a_query, printed_name, shared_name

if TYPE_CHECKING:
    import ir_measures

_LONGEST = 1000  # letters; a longer text in a file is no name of a measure

COUNTS = frozenset({"NumQ", "NumRel", "NumRet"})
DIVERSITY = frozenset({"ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"})
# A ranking that scores 1 exists on every topic with a relevant document; AP@k and the like are not among them.
_MAXIMUM_IS_ONE = frozenset(
    {"AP", "nDCG", "RR", "Rprec", "Bpref", "infAP", "Success", "IPrec", "SetP", "SetR", "SetF", "SetAP", "Compat",
     "alpha_nDCG", "nERR_IA", "nNRBP", "Judged", "Accuracy"}
)  # fmt: skip
_AT_MOST_ONE = frozenset(
    {*_MAXIMUM_IS_ONE, "P", "R", "ERR", "RBP", "ERR_IA", "NRBP", "AP_IA", "P_IA", "StRecall"}
)  # fmt: skip
# Their ideal ranking is chosen greedily. The gain of a set of documents is submodular and the discounts fall, so that
# it reaches 1 - 1/e of the best one's gain (Nemhauser, Wolsey and Fisher 1978), and no score is above 1 / (1 - 1/e).
_GREEDY_IDEAL = frozenset({"alpha_nDCG", "nERR_IA", "nNRBP"})
_GREEDY_MOST = 1 / (1 - math.exp(-1))
_AT_LEAST_ZERO = frozenset({*COUNTS, "alpha_DCG"})
_OTHER_SPELLINGS = {"map": "AP", "mrr": "RR", "recip_rank": "RR", "precision": "P", "recall": "R", "strec": "StRecall"}


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
    found: dict[str, ir_measures.Measure] = {}  # by what is the same whatever the order of parameters
    faults: list[str] = []
    for name in (name for argument in arguments for name in names_in(argument) or [argument]):
        try:
            measure = _asked(name)
        except UsageError as error:
            faults.append(str(error))
        else:
            found.setdefault(f"{measure.NAME}{sorted(measure.params.items())}", measure)
    if faults:
        raise UsageError("\n".join(dict.fromkeys(faults)))
    return list(found.values())


def asked_names(arguments: Sequence[str]) -> list[str]:
    """The names that ``arguments`` ask for, each once: ir-measures' spelling, and unknown ones as they are.

    An argument of several words none of which is a measure is one name: scores may be of anything.

    >>> asked_names(["map ndcg@10", "AP", "my own score"])
    ['AP', 'nDCG@10', 'my own score']
    """
    found: list[str] = []
    for argument in arguments:
        names = [(name, asked_name(name)) for name in names_in(argument)]
        known = len(names) == 1 or any(name is not None for _, name in names)
        found += [name or typed for typed, name in names] if known else [argument.strip()]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=4096)
def asked_name(name: str) -> str | None:
    """ir-measures' spelling of a measure that somebody asks for, in any case; None if there is no such measure.

    >>> asked_name("mrr@10"), asked_name("Ndcg_cut_20"), asked_name("bm25")
    ('RR@10', 'nDCG@20', None)
    """
    try:
        return str(_asked(name, near=False)) if len(name) < _LONGEST else None
    except UsageError:
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
    import ir_measures

    bases = dict.fromkeys(measure.__name__ for measure in ir_measures.measures.registry.values())
    forms = [*((base, f"{base}@10", f"{base}@0.1") for base in bases), *((name,) for name in examples())]
    found = (next((name for name in form if asked_name(name)), None) for form in forms)
    return [name for name in found if name is not None]


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """ir-measures' spelling of a measure's name; a name that it does not know stays as it is, without blanks around it.

    >>> canonical("ndcg_cut_10"), canonical("MAP"), canonical(" D#-nDCG@10")
    ('nDCG@10', 'AP', 'D#-nDCG@10')
    """
    text = name.strip()
    try:
        return str(_parse(text, near=False)) if len(text) < _LONGEST else text
    except UsageError:
        return text


@lru_cache(maxsize=4096)
def is_measure(name: str) -> bool:
    """Whether a name is a measure of ir-measures or one of trec_eval's that it shares.

    >>> is_measure("ndcg_cut_10"), is_measure("ERR@20"), is_measure("bm25")
    (True, True, False)
    """
    if len(name) >= _LONGEST or not name[:1].isalpha():
        return False
    try:
        return _parse(name, near=False) is not None
    except UsageError:
        return False


def trec_eval_name(name: str) -> str:
    """The name under which trec_eval 9 prints a measure; one that trec_eval does not have keeps its own.

    >>> [trec_eval_name(name) for name in ("AP", "nDCG@20", "NumRelRet", "IPrec@0.1", "ERR@20")]
    ['map', 'ndcg_cut_20', 'num_rel_ret', 'iprec_at_recall_0.10', 'ERR@20']
    """
    text = canonical(name)
    return printed_name(text) or text


def is_count(name: str) -> bool:
    """Whether a measure counts documents or queries, so that its values are whole and its ``all`` row is a sum.

    >>> is_count("num_rel_ret"), is_count("AP"), is_count("D#-nDCG@10")
    (True, False, False)
    """
    try:
        return _parse(name, near=False).NAME in COUNTS
    except UsageError:
        return False


@lru_cache(maxsize=4096)
def value_range(name: str) -> tuple[float, float] | None:
    """The least and the largest value that a measure can have, None where they are not known.

    A name that ir-measures does not know is looked up by what stands before its cutoff, in any case, as gdeval and
    ndeval write it.

    >>> value_range("AP"), value_range("num_rel"), value_range("ERR-IA@20"), value_range("D#-nDCG")
    ((0.0, 1.0), (0.0, inf), (0.0, 1.0), None)
    """
    base = _range_name(name)
    if base in _GREEDY_IDEAL:
        return 0.0, _GREEDY_MOST
    if base in _AT_MOST_ONE:
        return 0.0, 1.0
    return (0.0, math.inf) if base in _AT_LEAST_ZERO else None


def range_words(name: str) -> str:
    """The range of a measure that has one, as a message says it.

    >>> range_words("AP"), range_words("alpha_nDCG@20"), range_words("NumRel")
    ('AP is from 0 to 1', 'alpha_nDCG@20 is from 0 to 1.582', 'NumRel is at least 0')
    """
    low, high = value_range(name) or (-math.inf, math.inf)
    return f"{name} is at least {low:g}" if math.isinf(high) else f"{name} is from {low:g} to {high:.4g}"


def _range_name(name: str) -> str | None:
    """The measure whose range a name has; gains of one's own may be below 0."""
    if len(name) >= _LONGEST:
        return None
    try:
        measure = _parse(name, near=False)
    except UsageError:
        base = re.split(r"@|_cut|_\d", name.lower().replace("-", "_"))[0]
        known = {each.lower(): each for each in (*_AT_MOST_ONE, *_GREEDY_IDEAL, *_AT_LEAST_ZERO)}
        return _OTHER_SPELLINGS.get(base, known.get(base))
    return None if "gains" in measure.params else str(measure.NAME)


def maximum_is_one(measure: ir_measures.Measure) -> bool:
    """Whether the best ranking of a topic with a relevant document always scores 1.

    >>> [maximum_is_one(measure) for measure in parse_measures(["AP", "AP@10", "nDCG@20", "ERR@20"])]
    [True, False, True, False]
    """
    cut = "cutoff" in measure.params and measure.NAME == "AP"
    return measure.NAME in _MAXIMUM_IS_ONE and not cut


def _asked(name: str, *, near: bool = True) -> ir_measures.Measure:
    """A measure that somebody asks for: by its own spelling, or else in any case; ``near`` as in `_build`."""
    text = name.strip()
    other = not_of_a_query(re.split(r"[@(]", text)[0])
    if other is not None:
        raise UsageError(f"measure {name!r} {other}")
    if re.fullmatch(r"[\d.]+", text):
        raise UsageError(f"{name!r} is no measure; write each cutoff with its measure, as in P@5 P@10 or P.5,10")
    try:
        return _parse(name, near=near)
    except UsageError:
        spelled = _spelled(text)
        if spelled is None or spelled == text:
            raise
        return _build(name, spelled, near=near)


def _spelled(text: str) -> str | None:
    """A name in any case as ir-measures spells it, None if it has none that is the same but for its case."""
    import ir_measures

    at = re.search(r"[@(]", text)
    base, rest = (text[: at.start()], text[at.start() :]) if at else (text, "")
    known = {key.lower(): measure.__name__ for key, measure in ir_measures.measures.registry.items()}
    return shared_name(text, any_case=True) or (f"{known[base.lower()]}{rest}" if base.lower() in known else None)


def _parse(name: str, *, near: bool = True) -> ir_measures.Measure:
    return _build(name, shared_name(name.strip()) or name.strip(), near=near)


def _build(name: str, text: str, *, near: bool = True) -> ir_measures.Measure:
    """The measure of a name; without ``near`` errors name no near ones, which takes a millisecond to find."""
    import ir_measures

    base, params, at = _parts(name, text, near=near)
    registry: dict[str, Any] = ir_measures.measures.registry
    if base not in registry:
        raise UsageError(f"unknown measure {name!r}{_near(base, registry, at) if near else ''}")
    measure = registry[base]
    if at is not None:
        params[measure.AT_PARAM] = at
    specs = measure.SUPPORTED_PARAMS
    for key, value in params.items():
        if key not in specs:
            known = ", ".join(specs) or "none"
            raise UsageError(f"measure {name!r}: unknown parameter {key!r} (it has: {known})")
        params[key] = _checked(name, measure.NAME, key, value, specs[key])
    together = fault_between(params)
    if together:
        raise UsageError(f"measure {name!r}: {together}")
    built: ir_measures.Measure = measure(**params)
    for key, spec in specs.items():
        if spec.required and key not in built.params:
            example = f"{base}@{10 if spec.dtype is int else 0.1}" if key == built.AT_PARAM else f"{base}({key}=1)"
            raise UsageError(f"measure {name!r} needs its {key}: {example}")
    return built


def _parts(name: str, text: str, *, near: bool) -> Parts:
    """The parts of a name; a word that is no expression, such as ``11-pt_avg``, is an unknown name, not bad syntax."""
    import ir_measures

    found = parts_of(text)
    if found is not None:
        return found
    if re.fullmatch(r"[\w.#+-]+", text):
        raise UsageError(f"unknown measure {name!r}{_near(text, ir_measures.measures.registry) if near else ''}")
    raise UsageError(f"cannot read measure {name!r}; write NAME, NAME@k or NAME(key=value)@k")


def _checked(name: str, measure: str, key: str, value: Any, spec: Any) -> Any:
    """A parameter's value, a whole number made a float where a float is meant; raises `UsageError`."""
    found = fault(measure, key, value, spec.dtype, spec.choices)
    if found:
        raise UsageError(f"measure {name!r}: {found}")
    return float(value) if spec.dtype is float else value


def _near(base: str, registry: dict[str, Any], at: Any = None) -> str:
    """The measures that may be meant, with the cutoff that was typed where they can have it."""
    if base.lower().startswith(("iprec", "ircl_prn")):
        return "; did you mean IPrec@0.1?"
    known = {name.lower(): name for name in examples()} | {key.lower(): m.__name__ for key, m in registry.items()}
    near = dict.fromkeys(known[match] for match in difflib.get_close_matches(base.lower(), known, n=3, cutoff=0.6))
    return f"; did you mean {' or '.join(with_cutoff(name, at, registry.get(name)) for name in near)}?" if near else ""
