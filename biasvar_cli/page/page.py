"""The page: what it says of its origin, and the templates with its content; its data as JSON for the script."""

import base64
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from biasvar_cli.page.content import Content, Panel, in_order_of_naming
from biasvar_cli.page.pictures import UNDRAWN
from biasvar_cli.page.script import TEMPLATES, Sheet, colour_variables, page_script, vocabulary
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.coverage import TOP
from biasvar_cli.scoring.track import Track
from biasvar_cli.tables.rows import sizes_words
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, VERSION, counted, examples, in_nouns, printable

_ESCAPES = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where the numbers of a page come from: ``inputs`` and ``judgments`` in words, and the ``files`` of the inputs.

    ``others`` has the names of other files by their roles. ``command`` makes the page again. ``figures`` has, for each
    panel, the commands of its figures by name. Both are empty for data in memory.
    """

    inputs: str
    judgments: str
    files: Sequence[str] = ()
    others: Mapping[str, str]
    command: str = ""
    figures: Sequence[Mapping[str, str]] = ()


@dataclass(frozen=True, kw_only=True)
class About:
    """What the page says of what was evaluated; ``command``, ``figures`` and ``files`` are those of its `Origin`.

    ``title`` is the size of the track, ``heading`` the heading of the page. ``subject``, beside the heading, names the
    measures, the size and the inputs. ``facts`` are pairs of a name and its value.
    """

    title: str
    heading: str
    subject: str
    facts: Sequence[tuple[str, str]]
    files: Sequence[str]
    command: str
    figures: Sequence[Mapping[str, str]]
    warnings: Sequence[str]
    notices: Sequence[str]


def about(
    origin: Origin,
    track: Track,
    panels: Sequence[Panel],
    *,
    warnings: Sequence[str],
    notices: Sequence[str],
    stamp: bool,
    heading: str | None = None,
) -> About:
    """What the page says of what was evaluated, and with ``stamp`` also when, where and on what machine it was made."""
    from importlib.metadata import version

    scores, pool = track.scored[0].scores, track.scored[0].pool
    python = ".".join(map(str, sys.version_info[:3]))
    versions = f"biasvar {VERSION}, ir-measures {version('ir-measures')}, numpy {version('numpy')}, Python {python}"
    runs = counted(scores.n_runs, "run") if scores.replicates is None else sizes_words(scores.replicates)
    with_pool = f", {pool.n_runs} with the pool's" if pool.n_runs > scores.n_runs else ""
    queries = "Topics" if str(QUERY) == "query" else f"{QUERIES:title}"  # TREC's word, or the user's noun
    facts = {
        f"{RUNS:title}": runs + with_pool,
        "Files": origin.inputs,
        "Judgments": origin.judgments,
        **origin.others,
        queries: f"{scores.n_queries}: {examples(scores.queries, 400)}",
        "Measure and target": "; ".join(panel.label for panel in panels),
        "Versions": versions,
        **(dict(_stamp()) if stamp else {}),
    }
    title = f"{counted(scores.n_runs, 'run')}, {counted(scores.n_queries, 'query')}"
    measures = ", ".join(dict.fromkeys(panel.data["measure"] for panel in panels))
    return About(
        title=title,
        heading=printable(heading or "Bias-variance report"),
        subject=printable(f"{measures}, {title}, {origin.inputs}"),
        facts=[(name, printable(words)) for name, words in facts.items()],
        files=list(map(printable, origin.files)),
        command=printable(origin.command),
        figures=[{name: printable(text) for name, text in commands.items()} for commands in origin.figures],
        warnings=list(map(printable, warnings)),
        notices=list(map(printable, notices)),
    )


def files_of(request: TrackRequest) -> list[str]:
    """The files of the inputs, without the file of the judgments."""
    from biasvar_cli.readers.sources import Source

    judgments = Source("", request.qrels).identity if request.qrels is not None else None
    return [source.path for source in request.sources(request.inputs) if source.identity != judgments]


def words_of_files(request: TrackRequest, files: Sequence[str]) -> str:
    """The number of files, and the names of the inputs."""
    return f"{counted(len(files), 'file')} of {examples(sorted(request.inputs))}"


def words_by_role(roles: Mapping[str, Sequence[str | None]]) -> dict[str, str]:
    """The names of files by their roles, without roles that have no file."""
    names_by_role = {role: [name for name in names if name] for role, names in roles.items()}
    return {in_nouns(role): examples(names) for role, names in names_by_role.items() if names}


def _stamp() -> Iterator[tuple[str, str]]:
    """When, where and on what machine the page is made."""
    import platform
    from datetime import UTC, datetime

    yield "Made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    yield "In", os.getcwd()  # noqa: PTH109
    yield "On", f"{platform.node()}, {platform.platform()}"


def page(about: About, content: Content) -> str:
    """The whole page."""
    names, marked = content.names, in_order_of_naming(content.names)
    style, script = colour_variables() + (TEMPLATES / "report.css").read_text("utf-8"), page_script()
    words = vocabulary()
    sheets = [
        *([] if content.summary is None else [content.summary]),
        *(table for panel in content.panels for table in panel.sheets),
        *([] if content.trend is None else content.trend.sheets),
        *content.judges,
        *content.possible,
    ]
    printable_names = [printable(name) for name in names]
    data = {
        **words,
        "unjudged": dict(content.unjudged),
        "names": printable_names,
        "run": names.index(marked[0]) if marked else -1,
        "second": names.index(second) if (second := content.baseline or next(iter(marked[1:]), None)) else None,
        "panels": [panel.data for panel in content.panels],
        "sheets": {table.key: table.data for table in sheets},
    }
    numbers = [(len(about.warnings), "warning"), (len(about.notices), "notice")]
    policy = (  # it forbids all requests, and all scripts and styles except these two
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    template = _environment().get_template("report.html.j2")
    return template.render(
        {**words, **content._asdict(), "names": printable_names},
        about=about,
        contents=_contents(content, ", ".join(counted(number, noun) for number, noun in numbers if number)),
        highlighted={printable(name) for name in marked},
        n_warnings=counted(len(about.warnings), "warning"),
        words_of_columns=_words_of_columns(sheets),
        n_unjudged=counted(len(content.unjudged), "run"),
        top=TOP,
        version=VERSION,
        style=style,
        script=script,
        policy=policy,
        undrawn="" if content.can_draw else UNDRAWN,
        data=_embedded_json(data),
    )


def _contents(content: Content, messages: str) -> list[tuple[str, str]]:
    """The ids and titles of the sections for the list of contents; sections of a panel have the first panel's ids."""
    panel = content.panels[0]
    of_panel = {
        "answers": "Answers",
        "runs": f"{RUNS:title}",
        "mine": f"My {RUN}",
        "differences": "Differences" if panel.compared is not None else "",
        "risk": "Risk" if panel.risk is not None else "",
        "figures": "Figures" if content.can_draw else "",
        "tradeoff": "Tradeoff",
        "target": "Target",
    }
    of_page = {
        "all-measures": "All measures" if content.summary is not None else "",
        "judges": "Other judgments" if content.judges else "",
        "unjudged": "Unjudged documents" if content.possible else "",
        "trend": "Trend" if content.trend is not None else "",
        "about": f"What was evaluated: {messages}" if messages else "What was evaluated",
    }
    ids = {f"{panel.key}-{name}": words for name, words in of_panel.items()} | of_page
    return [(name, printable(words)) for name, words in ids.items() if words]


def _words_of_columns(sheets: Sequence[Sheet]) -> list[tuple[str, str]]:
    """The meanings of the columns of some tables, with all names of columns that have this meaning."""
    names: dict[str, dict[str, None]] = {}
    for table in sheets:
        for name, words in zip(table.heads, table.explained, strict=True):
            names.setdefault(words, {})[name] = None
    return [(", ".join(heads), words) for words, heads in names.items() if words]


def _embedded_json(data: Any) -> str:
    r"""JSON for a script element, without characters that could end the element or start a comment.

    >>> print(_embedded_json(["</script><!--"]))
    ["\u003c/script\u003e\u003c!--"]
    """
    text = _json(_packed(data))
    for char, escape in _ESCAPES.items():
        text = text.replace(char, escape)
    return text


def _packed(data: Any) -> Any:
    """Data as the script reads them: tables by column, and numbers as their bytes in base 64 if that is shorter.

    Packed data have an empty key, which cannot be the name of a run.

    >>> _packed([["a", 1 / 3, "AP"], ["b", 2 / 3, "AP"]])
    {'': [['a', 'b'], {'': 'VVVVVVVV1T9VVVVVVVXlPw=='}, ['AP']], 'rows': 2}
    >>> _packed([0.5, None]), _packed([1 / 3, None, 2 / 3, 1 / 7])
    ([0.5, None], {'': 'VVVVVVVV1T8AAAAAAAD4f1VVVVVVVeU/kiRJkiRJwj8='})
    """
    if isinstance(data, dict):
        return {name: _packed(value) for name, value in data.items()}
    if not isinstance(data, list | tuple):
        return data
    if len(data) > 1 and all(isinstance(row, list | tuple) and row for row in data) and len({*map(len, data)}) == 1:
        columns = [_shared(column) for column in zip(*data, strict=True)]
        return {"": [_packed(column) for column in columns], "rows": len(data)}
    if {*map(type, data)} <= {float, type(None)}:
        floats = base64.b64encode(np.array(data, "<f8").tobytes()).decode()
        return data if len(_json(data)) <= len('{"":""}') + len(floats) else {"": floats}
    return [_packed(value) for value in data]


def _shared(column: Sequence[Any]) -> Sequence[Any]:
    """A column, or a single value if all values are equal."""
    are_equal = column[0] == column[-1] and _json(column) == _json([column[0]] * len(column))
    return column[:1] if are_equal else column


_json = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    """The templates, which are compiled once in a process."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
