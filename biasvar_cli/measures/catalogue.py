"""The measures of ir-measures, one record each; trec_eval's names of them, and how measures are written.

A name in an argument of ``-m`` has parts, and its parameters have values.
"""

import ast
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from biasvar_cli.words import Better, argument, either


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
    parameters. ``better`` says whether more or less of the measure is better.
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
    better: Better = "more"


_UNIT = 0.0, 1.0
_UNBOUNDED = 0.0, math.inf
# The ideal ranking is chosen greedily. The gain of a set of documents is submodular and the discounts fall, so that it
# reaches 1 - 1/e of the best one's gain (Nemhauser, Wolsey and Fisher 1978), and no score is above 1 / (1 - 1/e).
_GREEDY = 0.0, 1 / (1 - math.exp(-1))
_PERPLEXITY = 1.0, math.inf
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
            "RR", _UNIT, ("recip_rank", "recip_rank1"), ("mrr", "recip_rank"), reaches_one="always", first_document=True
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
_SHARED_IN_LOWER_CASE = {name.lower(): shared for name, shared in _SHARED.items()}
_GROUPS = frozenset({"official", "all_trec", "set", "prefs", "qrels_jg", "all_qrels_jg", "all_prefs"})
_CUT_STEMS = tuple(name[: name.index("_{")] for name in _SHARED if "_{" in name)


def one_document_decides(name: str | None) -> bool:
    """Whether the first relevant documents make most of a measure, as in ERR and reciprocal rank.

    >>> [one_document_decides(name) for name in ("ERR@20", "RR", "recip_rank", "nDCG@10", None)]
    [True, True, True, False, False]
    """
    records = (record for record in MEASURES.values() if record.first_document)
    spellings = {re.sub(r"\d", "", other.lower()) for record in records for other in (record.name, *record.spellings)}
    word = re.match("[a-z_]*", (name or "").lower())
    return word is not None and word[0] in spellings


# Measures of other programs where less is better, by what stands before the cutoff in small letters; those of
# ir-measures are of the other kind. Where the least value is known, a ranking can have it.
_COSTS: Mapping[str, Record] = {
    spelling: record
    for record in (
        # trec_eval's count of judged documents retrieved that are not relevant
        Record("num_nonrel_judged_ret", _UNBOUNDED, better="less"),
        Record("ESL", _UNBOUNDED, better="less"),  # expected search length (Cooper, American Documentation 19, 1968)
        Record("ASL", _UNBOUNDED, better="less"),  # average search length (Losee)
        # expected exposure loss, a squared distance (Diaz et al., CIKM 2020)
        Record("EEL", _UNBOUNDED, spellings=("ee_l",), better="less"),
        Record("latency", better="less"),
        Record("runtime", better="less"),
        Record("cost", better="less"),
        Record("noise_sensitivity", _UNIT, better="less"),  # ragas: the share of wrong claims
        # deepeval: shares of what is made up, biased or toxic
        Record("Hallucination", _UNIT, better="less"),
        Record("Bias", _UNIT, better="less"),
        Record("Toxicity", _UNIT, better="less"),
        # lm-evaluation-harness declares no higher_is_better for these, and a false one for those of stereotypes
        Record("likelihood_diff", better="less"),
        Record("pct_stereotype", better="less"),
        Record("brier_score", better="less"),
        Record("perplexity", _PERPLEXITY, better="less"),
        Record("word_perplexity", _PERPLEXITY, better="less"),
        Record("byte_perplexity", _PERPLEXITY, better="less"),
        Record("bits_per_byte", _UNBOUNDED, better="less"),
        Record("mae", _UNBOUNDED, spellings=("mean_absolute_error", "meanabsoluteerror"), better="less"),
        # jiwer, sacreBLEU and torchmetrics: errors for each word or character, also in percent
        Record("wer", _UNBOUNDED, spellings=("word_error_rate", "worderrorrate"), better="less"),
        Record(
            "cer", _UNBOUNDED, spellings=("char_error_rate", "charerrorrate", "character_error_rate"), better="less"
        ),
        Record("mer", _UNBOUNDED, spellings=("match_error_rate", "matcherrorrate"), better="less"),
        Record("wil", _UNBOUNDED, spellings=("word_info_lost", "word_information_lost", "wordinfolost"), better="less"),
        Record("ter", _UNBOUNDED, spellings=("translation_edit_rate", "translationeditrate"), better="less"),
        Record("edit_distance", _UNBOUNDED, spellings=("editdistance", "levenshtein"), better="less"),
        Record("eer", _UNBOUNDED, spellings=("equal_error_rate",), better="less"),
        Record("der", _UNBOUNDED, spellings=("diarization_error_rate",), better="less"),
        Record("eed", _UNBOUNDED, spellings=("extended_edit_distance", "extendededitdistance"), better="less"),
        # torchmetrics: errors of numbers and of distributions
        Record("mse", _UNBOUNDED, spellings=("mean_squared_error", "meansquarederror"), better="less"),
        Record("rmse", _UNBOUNDED, spellings=("root_mean_squared_error",), better="less"),
        Record("mape", _UNBOUNDED, spellings=("mean_absolute_percentage_error",), better="less"),
        Record("smape", _UNBOUNDED, better="less"),
        Record("crps", _UNBOUNDED, better="less"),
        Record("fid", _UNBOUNDED, better="less"),
        Record("kl_div", _UNBOUNDED, spellings=("kl_divergence", "kldivergence"), better="less"),
        Record("ece", _UNBOUNDED, spellings=("calibration_error", "calibrationerror"), better="less"),
        Record("hamming_distance", _UNBOUNDED, spellings=("hammingdistance",), better="less"),
        Record("nll", better="less"),
        Record("fpr", _UNBOUNDED, spellings=("false_positive_rate", "fall_out", "fallout"), better="less"),
        Record("miss_rate", _UNBOUNDED, spellings=("false_negative_rate", "fnr"), better="less"),
        Record("duration", better="less"),
        Record("elapsed", better="less"),
    )
    for spelling in (record.name.lower(), *record.spellings)
}
# ends of words that mean that less may be better
_COSTLY = (
    *("time", "latency", "error", "loss", "cost", "rank", "distance", "duration", "elapsed", "token", "price"),
    *("perplexity", "divergence", "deviance", "hallucination", "toxicity", "entropy", "uncertainty", "failure"),
)
# Whole words, as garak, promptfoo, HELM and evaluators of safety have them. Of violations, leakage and misuse more is
# better in deepeval, whose score is the share without, and less elsewhere.
_BAD = frozenset(
    {
        *("refusal", "refused", "violation", "leak", "leakage", "misuse", "jailbreak", "attack", "asr", "injection"),
        *("toxic", "bias", "stereotype", "harm", "harmful", "harmfulness", "malicious", "maliciousness", "unsafe"),
        *("insult", "threat", "profanity", "hate", "fail", "failed", "invalid", "false", "fp", "fn", "missing"),
        *("contradiction", "inconsistency", "irrelevance", "redundancy", "verbosity", "noise", "abstention"),
        *("unanswered", "penalty", "regret", "degradation", "disparity", "brier", "hamming", "kl"),
        *("delay", "wait", "second", "ttft", "ms"),
    }
)


def cost_of(name: str | None) -> Record | None:
    """The record of a measure where less is better, by what stands before its cutoff, in any case; None for others.

    >>> [getattr(cost_of(name), "name", None) for name in ("ESL@10", "latency_ms", "ee-l", "mae,none", "AP", None)]
    ['ESL', 'latency', 'EEL', 'mae', None, None]
    """
    base = re.split(r"[@(,]|_(?:cut|ms|s)\b|_\d", (name or "").strip().lower().replace("-", "_"))[0]
    return _COSTS.get(base)


def sounds_like_a_cost(name: str | None) -> bool:
    """Whether a word of a name is one of time, error, loss, distance and the like or ends in it, or is bad.

    >>> [sounds_like_a_cost(name) for name in ("responseTime", "walltime (s)", "mean_rank", "Q-measure", "ranking")]
    [True, True, True, False, False]
    >>> [sounds_like_a_cost(name) for name in ("refusal_rate", "PII Leakage", "gender_bias", "harmlessness", "fine")]
    [True, True, True, False, False]
    """
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name or "")]
    return any(
        word.removesuffix("s").endswith(_COSTLY)
        or word.endswith("loss")
        or not _BAD.isdisjoint((word, word.removesuffix("s")))
        for word in words
    )


def shared_name(text: str, *, any_case: bool = False) -> str | None:
    """ir-measures' name for one of trec_eval's; None for a name that trec_eval does not have, or shares with nothing.

    >>> shared_name("ndcg_cut_20"), shared_name("NDCG_CUT_20"), shared_name("NDCG_CUT_20", any_case=True)
    ('nDCG@20', None, 'nDCG@20')
    """
    known = _SHARED_IN_LOWER_CASE if any_case else _SHARED
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

    >>> from biasvar_cli.words import in_python
    >>> in_python(str(not_of_a_query("GMAP")))
    "is made of all queries together; ask for the mean of the logs of AP: measure='AP', log='floor'"
    """
    name = text.lower()
    for record in MEASURES.values():
        if name in record.geometric:
            remedy = argument(measure=record.name, log="floor")
            return f"is made of all queries together; ask for the mean of the logs of {record.name}: {remedy}"
    if name in ("num_q", "numq"):
        return "is the number of queries, and no score of a query; every table says it"
    if name in _GROUPS:
        return f"is a group of measures of trec_eval; name those you want, such as {_SEVERAL}"
    return None


_SEVERAL = either("-m 'map Rprec P.5,10 ndcg_cut.10,20'", "measure=['map', 'Rprec', 'P.5,10', 'ndcg_cut.10,20']")
_NUMBER = re.compile(r"\d*\.?\d+")
_WITH_POINT = re.compile(rf"({'|'.join(_CUT_STEMS)})\.(\d*\.?\d+)", re.IGNORECASE)  # as trec_eval's -m takes them
# Python's parser warns of backslashes, and of a number that runs into a word, such as 5if7.
_WORD_OR_NUMBER = re.compile(r"[^\W\d]\w*|\.?\d[\w.]*")
_PLAIN = re.compile(r"[^\W\d]\w*|\.?\d[\d_.]*([eE]\d*)?")
_GAIN = Range(-LARGEST, LARGEST)
_GRADE = Range(-(10**18), 10**18)
LARGEST_EXPONENT = 1000  # 2^1024 is beyond a double


def names_in(argument: str) -> list[str]:
    """The names in an argument, between blanks or commas; trec_eval's with a point as they are with an underscore.

    A number after a name with a point is another cutoff of that name.

    >>> names_in("AP nDCG@10"), names_in("map,P.5,10,recip_rank,iprec_at_recall..5")
    (['AP', 'nDCG@10'], ['map', 'P_5', 'P_10', 'recip_rank', 'iprec_at_recall_0.5'])
    >>> names_in("nDCG(gains={1: 1, 2: 4}) @ 10, RR")
    ['nDCG(gains={1: 1, 2: 4})@10', 'RR']
    """
    names: list[str] = []
    stem = ""
    for word in _words(re.sub(r"\s*@\s*", "@", argument)):
        cut = _WITH_POINT.fullmatch(f"{stem}.{word}" if stem and _NUMBER.fullmatch(word) else word)
        stem = cut[1] if cut else ""
        names.append(f"{stem}_{'0' * cut[2].startswith('.')}{cut[2]}" if cut else word)
    return names


def _words(text: str) -> Iterator[str]:
    """What stands between blanks and commas that are in no brackets."""
    depth, word = 0, ""
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}" and depth > 0)
        if depth or not (sign.isspace() or sign == ","):
            word += sign
        elif word:
            yield word
            word = ""
    if word:
        yield word


def parts_of(text: str) -> tuple[str, dict[str, Any], Any] | None:
    """The parts of ``NAME(key=value, ...)@at``, of which ``at`` may be None; None for what is no name of a measure.

    >>> parts_of("P(rel=2)@10")
    ('P', {'rel': 2}, 10)
    >>> parts_of("11-pt_avg") is None
    True
    """
    if "\\" in text or not all(_PLAIN.fullmatch(word) for word in _WORD_OR_NUMBER.findall(text)):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python finds doubtful, as 1or, is none
            node = ast.parse(text, mode="eval").body
        at = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = ast.literal_eval(node.right)
            node = node.left
        params = {}
        if isinstance(node, ast.Call):
            if node.args or any(keyword.arg is None for keyword in node.keywords):
                return None
            params = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
            node = node.func
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None
    return (node.id, params, at) if isinstance(node, ast.Name) else None


def fault(record: Record, key: str, value: Any, kind: type | None, choices: Any = None) -> str | None:
    """What is wrong with the value of a measure's parameter, None if nothing.

    ``kind`` is the type that it must have, ``choices`` a list of what it may be, or anything else where there is none.
    What lies beyond the ranges crashes a provider or gives a number without meaning.

    >>> from biasvar_cli.measures.catalogue import MEASURES
    >>> fault(MEASURES["RBP"], "p", 2, float), fault(MEASURES["RBP"], "p", 0.8, float)
    ('p must be above 0 and below 1, found 2', None)
    >>> fault(MEASURES["P"], "cutoff", 0.5, int)
    'cutoff must be a whole number from 1 to 1000000000, found 0.5'
    """
    if kind is dict and not isinstance(value, dict):
        return f"gains must be grades with their gains, as in gains={{1: 0.5, 2: 1}}, found {_quoted(value)}"
    for grade, gain in value.items() if kind is dict else ():
        if not isinstance(grade, int) or grade not in _GRADE:
            return f"a grade of gains must be a whole number of at most 18 digits, found {_quoted(grade)}"
        if gain not in _GAIN or math.isnan(gain):
            return f"a gain must be a number {_GAIN}, found {_quoted(gain)}"
    allowed = [True, False] if kind is bool else choices
    if isinstance(allowed, list):
        is_one = any(value == choice and type(value) is type(choice) for choice in allowed)
        return None if is_one else f"{key} must be {' or '.join(map(repr, allowed))}, found {_quoted(value)}"
    wanted = record.parameters.get(key)
    if kind not in (int, float) or wanted is None:
        return None
    right_type = isinstance(value, int) if kind is int else isinstance(value, int | float)
    if not right_type or value not in wanted:
        return f"{key} must be {'a whole number ' if kind is int else ''}{wanted}, found {_quoted(value)}"
    if key == "recall" and round(value, 2) != value:
        return f"recall must have two decimals at most, as trec_eval's iprec_at_recall has, found {_quoted(value)}"
    return None


def fault_between(params: Mapping[str, Any]) -> str | None:
    """What is wrong with parameters that do not go together, None if nothing.

    >>> fault_between({"min_rel": 2, "max_rel": 1})
    'max_rel must be above min_rel (2), found 1'
    """
    least = params.get("min_rel", 0)
    if "max_rel" in params and params["max_rel"] <= least:
        return f"max_rel must be above min_rel ({least}), found {params['max_rel']}"
    largest = max(params.get("gains", {}).values(), default=0)
    if params.get("dcg") == "exp-log2" and largest > LARGEST_EXPONENT:
        return f"a gain of exp-log2 is 2^gain - 1, so that gain must be at most {LARGEST_EXPONENT}, found {largest}"
    return None


def _quoted(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python's limit on digits
        return "a number of too many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
