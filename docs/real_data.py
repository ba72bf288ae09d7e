"""Where the runs and scores of others are that tests and docs/tutorial.md use: the one place that says so.

The environment variable BIASVAR_DATA names the folder; without it, it is ``../shared/data`` beside the checkout. Any
of the parts may be absent. docs/real-data.md says what they are and where they come from. The inputs after public
reports are beside it, in ``cases``.
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "BIASVAR_DATA"
SECTION = 'docs/real-data.md, "Real data"'
DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data"
DATA = Path(os.environ.get(VARIABLE) or DEFAULT).absolute()
CASES = DATA.parent / "cases"
OF_TUTORIAL = (
    "covid-round1/runs",
    "covid-round1/qrels.txt",
    "beir-leaderboard/beir-ndcg10.csv",
    "dl21-judges/runs",
    "dl21-judges/qrels",
)
PARTS = (
    *OF_TUTORIAL,
    "covid-round1/leaderboard.csv",
    *(f"cranfield/{name}" for name in ("docs.tsv.gz", "qrels.txt", "study.csv", "topics.tsv")),
    "score-matrices/terabyte06-ap-named.csv",
    *(f"score-matrices/trec{number}-adhoc-ap.csv" for number in (3, 5, 6)),
    *(f"score-matrices/web{year}-{measure}.csv" for year in (2010, 2011) for measure in ("ap", "err20", "ndcg20")),
    *(f"vaswani-npl/{name}" for name in ("docs.tsv.gz", "qrels.txt", "study.csv", "topics.tsv")),
    "vaswani-npl/background.tsv.gz",
    "vaswani-npl/models",
    "web2012-indri/qrels.txt",
    "web2012-indri/runs",
)


def has_parts(data: Path, path: Path) -> bool:
    """Whether a path is a folder of several parts, and not a part itself.

    >>> [has_parts(Path("data"), Path("data", name)) for name in ("covid-round1", "covid-round1/runs", "covid-round2")]
    [True, False, False]
    """
    return any(part.startswith(f"{path.relative_to(data).as_posix()}/") for part in PARTS)


def lack(data: Path, path: Path) -> str | None:
    """Why a path is not there: which part of the data is absent, and what to do. None where it is there, or is no part.

    >>> print(lack(Path("nowhere"), Path("nowhere/covid-round1")))
    covid-round1 is not in nowhere; set BIASVAR_DATA to the folder of the real data: docs/real-data.md, "Real data"
    >>> lack(Path("nowhere"), Path("nowhere/covid-round2")) is None
    True
    """
    name = path.relative_to(data).as_posix()
    if path.exists() or not (name in PARTS or has_parts(data, path)):
        return None
    return f"{name} is not in {data}; set {VARIABLE} to the folder of the real data: {SECTION}"


def fault(named: str | None) -> str | None:
    """What is wrong with the value of the variable; None for one that names a folder with real data, and for none.

    >>> print(fault("nowhere"))
    BIASVAR_DATA is nowhere, where there is none of the real data: docs/real-data.md, "Real data"
    """
    if not named or any((Path(named) / part).exists() for part in PARTS):
        return None
    return f"{VARIABLE} is {named}, where there is none of the real data: {SECTION}"


if __name__ == "__main__":  # for the Makefile
    print(DATA.as_posix())
