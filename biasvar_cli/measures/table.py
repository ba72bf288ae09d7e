"""The measures of ir-measures, one record each, and what follows from the records alone: trec_eval's names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple


class Range(NamedTuple):
    """The numbers from ``low`` to ``high``, without these two where the range is open."""

    low: float
    high: float
    is_open: bool = False

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        return self.low < value < self.high if self.is_open else self.low <= value <= self.high

    def __str__(self) -> str:
        low, high = (f"{bound:.0f}" for bound in (self.low, self.high))
        return f"above {low} and below {high}" if self.is_open else f"from {low} to {high}"


LARGEST = 10**9  # that a parameter may be
_PARAMETERS: Mapping[str, Range] = {
    "cutoff": Range(1, LARGEST),
    "rel": Range(1, LARGEST),  # 0 would count documents judged not relevant, and trec_eval's unjudged ones at -1
    "min_rel": Range(0, LARGEST),
    "max_rel": Range(1, LARGEST),
    "recall": Range(0, 1),
    "p": Range(0, 1, is_open=True),
    "alpha": Range(0, 1),
    "beta": Range(0, 1),  # patience
    "T": Range(0, LARGEST, is_open=True),
}


class Record(NamedTuple):
    """A measure, by its ``name`` in ir-measures.

    ``bounds`` are the least and the largest value that it can have, None where they are not known. ``reaches_one`` says
    whether a ranking that scores 1 exists on every topic with a relevant document: ``uncut`` without a cutoff only.
    ``trec_eval`` are its names in trec_eval, versions 7 to 10, the one that version 9 prints first: ``{k}`` is a rank,
    ``{x}`` a recall level, and parameters of ir-measures that a name implies follow it in brackets. ``spellings`` are
    names before the cutoff in other programs, ``geometric`` trec_eval's names of the geometric mean over the queries.

    ``subtopics`` are rewarded by measures of diversity; ``is_count`` says that the ``all`` row is a sum;
    ``first_document`` that the first relevant documents make most of the score. ``parameters`` are the ranges of
    parameters.
    """

    name: str
    bounds: tuple[float, float] | None = None
    trec_eval: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    geometric: tuple[str, ...] = ()
    reaches_one: Literal["always", "uncut", "no"] = "no"
    first_document: bool = False
    is_count: bool = False
    subtopics: bool = False
    parameters: Mapping[str, Range] = _PARAMETERS


_UNIT = 0.0, 1.0
_UNBOUNDED = 0.0, math.inf
# The ideal ranking is chosen greedily. The gain of a set of documents is submodular and the discounts fall, so that it
# reaches 1 - 1/e of the best one's gain (Nemhauser, Wolsey and Fisher 1978), and no score is above 1 / (1 - 1/e).
_GREEDY = 0.0, 1 / (1 - math.exp(-1))
_WITH_F = {**_PARAMETERS, "beta": Range(0, LARGEST)}

MEASURES: Mapping[str, Record] = {
    record.name: record
    for record in (
        Record("AP", _UNIT, ("map", "map_cut_{k}"), ("map",), ("gmap", "gm_map", "gm_ap"), reaches_one="uncut"),
        Record("nDCG", _UNIT, ("ndcg", "ndcg_cut_{k}"), reaches_one="always"),
        Record("P", _UNIT, ("P_{k}", "P{k}"), ("precision",)),
        Record("R", _UNIT, ("recall_{k}",), ("recall",)),
        Record("Success", _UNIT, ("success_{k}",), reaches_one="always"),
        Record(
            "RR",
            _UNIT,
            ("recip_rank", "recip_rank1"),
            ("mrr", "recip_rank"),
            reaches_one="always",
            first_document=True,
        ),
        Record("Rprec", _UNIT, ("Rprec", "R-prec"), reaches_one="always"),
        Record("Bpref", _UNIT, ("bpref",), geometric=("gm_bpref",), reaches_one="always"),
        Record("infAP", _UNIT, ("infAP",), reaches_one="always"),
        Record("IPrec", _UNIT, ("iprec_at_recall_{x}", "ircl_prn.{x}"), reaches_one="always"),
        Record("SetP", _UNIT, ("set_P", "set_relative_P(relative=True)"), reaches_one="always"),
        Record("SetR", _UNIT, ("set_recall",), reaches_one="always"),
        Record("SetF", _UNIT, ("set_F",), reaches_one="always", parameters=_WITH_F),
        Record("SetAP", _UNIT, ("set_map",), reaches_one="always"),
        Record("NumQ", _UNBOUNDED, ("num_q",), is_count=True),
        Record("NumRet", _UNBOUNDED, ("num_ret", "num_rel_ret(rel=1)"), is_count=True),
        Record("NumRel", _UNBOUNDED, ("num_rel",), is_count=True),
        Record("ERR", _UNIT, first_document=True),
        Record("RBP", _UNIT),
        Record("Judged", _UNIT, reaches_one="always"),
        Record("Accuracy", _UNIT, reaches_one="always"),
        Record("Compat", _UNIT, reaches_one="always"),
        Record("BPM"),
        Record("INST"),
        Record("INSQ"),
        Record("SDCG"),
        Record("NERR8", spellings=("nerr",), first_document=True),
        Record("NERR9", first_document=True),
        Record("NERR10", first_document=True),
        Record("NERR11", first_document=True),
        Record("ERR_IA", _UNIT, first_document=True, subtopics=True),
        Record("nERR_IA", _GREEDY, reaches_one="always", subtopics=True),
        Record("alpha_DCG", _UNBOUNDED, subtopics=True),
        Record("alpha_nDCG", _GREEDY, reaches_one="always", subtopics=True),
        Record("NRBP", _UNIT, subtopics=True),
        Record("nNRBP", _GREEDY, reaches_one="always", subtopics=True),
        Record("AP_IA", _UNIT, subtopics=True),
        Record("P_IA", _UNIT, subtopics=True),
        Record("StRecall", _UNIT, spellings=("strec",), subtopics=True),
    )
}
# trec_eval's names, as the records write them, to ir-measures' names
_SHARED = {
    written.partition("(")[0]: record.name + "".join(written.partition("(")[1:]) + ("@{}" if "{" in written else "")
    for record in MEASURES.values()
    for written in record.trec_eval
}
_GROUPS = frozenset({"official", "all_trec", "set", "prefs", "qrels_jg", "all_qrels_jg", "all_prefs"})
CUT_STEMS = tuple(name[: name.index("_{")] for name in _SHARED if "_{" in name)


def one_document_decides(name: str | None) -> bool:
    """Whether the first relevant documents make most of a measure, as in ERR and reciprocal rank.

    >>> [one_document_decides(name) for name in ("ERR@20", "RR", "recip_rank", "nDCG@10", None)]
    [True, True, True, False, False]
    """
    records = (record for record in MEASURES.values() if record.first_document)
    spellings = {re.sub(r"\d", "", other.lower()) for record in records for other in (record.name, *record.spellings)}
    word = re.match("[a-z_]*", (name or "").lower())
    return word is not None and word[0] in spellings


def shared_name(text: str, *, any_case: bool = False) -> str | None:
    """ir-measures' name for one of trec_eval's; None for a name that trec_eval does not have, or shares with nothing.

    >>> shared_name("ndcg_cut_20"), shared_name("NDCG_CUT_20"), shared_name("NDCG_CUT_20", any_case=True)
    ('nDCG@20', None, 'nDCG@20')
    """
    known = {name.lower(): shared for name, shared in _SHARED.items()} if any_case else _SHARED
    name = text.lower() if any_case else text
    cut = re.fullmatch(r"(\w*[^\W\d]\.?)(\d\.\d+|\d+)", name)
    if name in known or cut is None:
        return known.get(name) if "{" not in name else None
    form = known.get(cut[1] + ("{x}" if "." in cut[2] else "{k}"))
    return form and form.format(cut[2])


def trec_eval_name(text: str) -> str:
    """The name under which trec_eval 9 prints a measure of ir-measures; one that it does not have keeps its own.

    >>> [trec_eval_name(name) for name in ("AP", "nDCG@20", "NumRet(rel=1)", "IPrec@0.1", "ERR@20")]
    ['map', 'ndcg_cut_20', 'num_rel_ret', 'iprec_at_recall_0.10', 'ERR@20']
    """
    base, at, cutoff = text.partition("@")
    name = next((name for name, shared in _SHARED.items() if shared == (f"{base}@{{}}" if at else base)), None)
    if name is None or (at and not re.fullmatch(r"\d+(\.\d+)?", cutoff)):
        return text
    return name.format(k=cutoff, x=f"{float(cutoff):.2f}") if at else name


def trec_eval_examples() -> list[str]:
    """trec_eval's names, with an example of a cutoff where they have one.

    >>> trec_eval_examples()[:4]
    ['map', 'map_cut_10', 'ndcg', 'ndcg_cut_10']
    """
    return [name.format(k="10", x="0.10") for name in _SHARED]


def not_of_a_query(text: str) -> str | None:
    """Why no query has a score under a name of trec_eval, and what to ask for instead; None for other names.

    >>> not_of_a_query("GMAP")
    'is made of all queries together; ask for the mean of the logs of AP: -m AP --log floor'
    """
    name = text.lower()
    for record in MEASURES.values():
        if name in record.geometric:
            mean = f"the mean of the logs of {record.name}: -m {record.name} --log floor"
            return f"is made of all queries together; ask for {mean}"
    if name in ("num_q", "numq"):
        return "is the number of queries, and no score of a query; every table says it"
    if name in _GROUPS:
        return "is a group of measures of trec_eval; name those you want, such as -m 'map Rprec P.5,10 ndcg_cut.10,20'"
    return None
