"""trec_eval's names of measures, versions 7 to 10: those that ir-measures shares, and those that no query has."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Pattern, ir-measures' name, how its parameter is written. The first pattern of a name is what trec_eval 9 prints.
SHARED = (
    (r"map", "AP", ""),
    (r"map_cut_(\d+)", "AP", "@{}"),
    (r"ndcg", "nDCG", ""),
    (r"ndcg_cut_(\d+)", "nDCG", "@{}"),
    (r"P_(\d+)", "P", "@{}"),
    (r"recall_(\d+)", "R", "@{}"),
    (r"success_(\d+)", "Success", "@{}"),
    (r"recip_rank", "RR", ""),
    (r"Rprec", "Rprec", ""),
    (r"bpref", "Bpref", ""),
    (r"infAP", "infAP", ""),
    (r"iprec_at_recall_(\d\.\d+)", "IPrec", "@{}"),
    (r"set_P", "SetP", ""),
    (r"set_relative_P", "SetP", "(relative=True)"),
    (r"set_recall", "SetR", ""),
    (r"set_F", "SetF", ""),
    (r"set_map", "SetAP", ""),
    (r"num_q", "NumQ", ""),
    (r"num_ret", "NumRet", ""),
    (r"num_rel", "NumRel", ""),
    (r"num_rel_ret", "NumRet", "(rel=1)"),
    (r"R-prec", "Rprec", ""),
    (r"P(\d+)", "P", "@{}"),
    (r"recip_rank1", "RR", ""),
    (r"ircl_prn\.(\d\.\d+)", "IPrec", "@{}"),
)

_GEOMETRIC: Mapping[str, str] = {"gmap": "AP", "gm_map": "AP", "gm_ap": "AP", "gm_bpref": "Bpref"}
_GROUPS = frozenset({"official", "all_trec", "set", "prefs", "qrels_jg", "all_qrels_jg", "all_prefs"})
_CUT = re.compile(r"(P|recall|success|map_cut|ndcg_cut|iprec_at_recall)\.(\d*\.?\d+)", re.IGNORECASE)


def shared_name(text: str, *, any_case: bool = False) -> str | None:
    """ir-measures' name for one of trec_eval's; None for a name that trec_eval does not have, or shares with nothing.

    >>> shared_name("ndcg_cut_20"), shared_name("NDCG_CUT_20"), shared_name("NDCG_CUT_20", any_case=True)
    ('nDCG@20', None, 'nDCG@20')
    """
    for pattern, base, form in SHARED:
        match = re.fullmatch(pattern, text, re.IGNORECASE if any_case else 0)
        if match:
            return base + form.format(*match.groups())
    return None


def printed_name(text: str) -> str | None:
    """The name under which trec_eval 9 prints what ir-measures calls so; None for a measure that it does not have.

    >>> printed_name("nDCG@20"), printed_name("IPrec@0.1"), printed_name("ERR@20")
    ('ndcg_cut_20', 'iprec_at_recall_0.10', None)
    """
    for pattern, base, form in SHARED:
        at = re.fullmatch(re.escape(base + form).replace(r"\{\}", r"([\d.]+)"), text)
        if at:
            cutoff = f"{float(at[1]):.2f}" if base == "IPrec" else at[1] if at.lastindex else ""
            return re.sub(r"\(.*\)", cutoff, pattern)
    return None


def examples() -> list[str]:
    """The names, with an example of a cutoff where they have one.

    >>> examples()[:4]
    ['map', 'map_cut_10', 'ndcg', 'ndcg_cut_10']
    """
    return [
        re.sub(r"\(.*\)", "0.10" if r"\d\." in pattern else "10", pattern).replace("\\", "") for pattern, _, _ in SHARED
    ]


def with_underscore(text: str) -> tuple[str, str] | None:
    """The stem and the whole of a name that is asked for with a point, as trec_eval's ``-m`` does; None for others.

    >>> with_underscore("ndcg_cut.10"), with_underscore("iprec_at_recall..5"), with_underscore("map")
    (('ndcg_cut', 'ndcg_cut_10'), ('iprec_at_recall', 'iprec_at_recall_0.5'), None)
    """
    match = _CUT.fullmatch(text)
    if match is None:
        return None
    cutoff = f"0{match[2]}" if match[2].startswith(".") else match[2]
    return match[1], f"{match[1]}_{cutoff}"


def not_of_a_query(text: str) -> str | None:
    """Why no query has a score under a name of trec_eval, and what to ask for instead; None for other names.

    >>> not_of_a_query("GMAP")
    'is made of all queries together; ask for the mean of the logs of AP: -m AP --log floor'
    """
    name = text.lower()
    if name in _GEOMETRIC:
        of = _GEOMETRIC[name]
        return f"is made of all queries together; ask for the mean of the logs of {of}: -m {of} --log floor"
    if name in ("num_q", "numq"):
        return "is the number of queries, and no score of a query; every table says it"
    if name in _GROUPS:
        return "is a group of measures of trec_eval; name those you want, such as -m 'map Rprec P.5,10 ndcg_cut.10,20'"
    return None
