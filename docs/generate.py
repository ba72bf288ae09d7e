"""The generated parts of README.md and of pages in docs, as text for cog.

What a command prints is what it printed when cog ran; what is listed is read from the code. Commands run in a scratch
folder with a link to the sample track, so an example may write files, and later examples of the same document may read
them. Nothing depends on the terminal, the locale or the place of the checkout.
"""

from __future__ import annotations

import ast
import atexit
import gzip
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import ir_measures
from real_data import DATA, OF_TUTORIAL, lack

import biasvar_cli
from biasvar_cli.analyses import ANALYSES
from biasvar_cli.analyses.scores import table as scores
from biasvar_cli.cli import biasvar
from biasvar_cli.console.help import WORDS
from biasvar_cli.measures.catalogue import MEASURES
from biasvar_cli.readers.score_formats import EXAMPLES
from biasvar_cli.scoring import rank_measures
from biasvar_cli.specs.targets import BEST, TARGETS
from biasvar_cli.tables import render
from biasvar_cli.tables.column import expanded, meanings

_FOR_THEMSELVES = ("from_answers", "with_messages", "scored")  # what results have for the package

ROOT = Path(__file__).resolve().parents[1]
STUDY = Path(os.environ.get("BIASVAR_STUDY", ROOT / "results"))  # what `make study` writes; only docs/study.md needs it

TRACK = "sample_runs -q qrels/npl.qrels.txt"
DRAWN_OF = {  # what figures of the gallery are drawn of, where it is not the sample track alone
    "plane": f"{TRACK} --families '(comb|nrr)-(.*)' --baseline rm",
    "losses": f"{TRACK} --baseline run:orig --run nrr-0.5",
    "risk": f"{TRACK} --baseline run:orig",
    "profile": f"nrr-1.0 {TRACK} --baseline orig",
    "asl": f"{TRACK} -m AP -m nDCG@10 -m P@10",
    "swap": f"{TRACK} -m AP -m nDCG@10 -m P@10",
    "queries": f"{TRACK} --exclude 'comb-0.[!5]*' --exclude 'nrr-0.[!5]*'",
    "summary": f"{TRACK} -m AP -m nDCG@10 -m P@10 --baseline orig",
    "judges": f"{TRACK} -q qrels/npl-half.qrels.txt -m nDCG@10",
    "calibrated": f"{TRACK.replace('npl.', 'npl-few.')} -q qrels/npl-half.qrels.txt -m nDCG@10",
    "unjudged": f"{TRACK.replace('npl.', 'npl-pool.')} -m nDCG@10",
    "estimation": "sample_models --true sample_models/true.tsv.gz --families '(comb|nrr)-(.*)' --baseline rm",
    "trend": "docs/tracks.toml",
}

# SIGIR 2013, Tables 1 and 2: three models, the changed model C' (here C2), and the target model T.
PAPER = "AP,A,B,C,C2,T\nq1,0.3,0.6,0.65,0.32,0.7\nq2,0.1,0.08,0.03,0.11,0.2\n"

# Systems of three runs, two, and one, and their target.
SYSTEMS = "AP,A-seed1,A-seed2,A-seed3,B-seed1,B-seed2,C,T\nq1,.3,.5,.4,.6,.4,.45,.5\nq2,.1,.2,.3,.08,.12,.2,.2\n"
SYSTEMS += "q3,.5,.5,.2,.5,.3,.1,.4\n"


def input_example(name: str) -> str:
    """An example of a score file, below its name, which a test reads."""
    language = "json" if "json" in name else ""
    return f"<!-- {name} -->\n```{language}\n{EXAMPLES[name]}```\n"


def session(*commands: str, code: int = 0) -> str:
    """Commands and what they print, both streams in the order of a terminal, as a block of markdown.

    ``code`` is the exit code that the first command must have, the others must have 0; anything else raises
    RuntimeError, so that no failure gets into a document unnoticed. ``$?`` is the exit code of the command before.
    """
    lines, last = [], 0
    for number, command in enumerate(commands):
        result = _run(f"(exit {last}); {command}")
        last = result.returncode
        if last != (0 if number else code):
            raise RuntimeError(f"{command}: exit code {last}\n{result.stdout}")
        lines += [f"$ {command}", *result.stdout.splitlines()]
    return _block("console", "\n".join(lines))


def tutorial(*commands: str, lines: int | None = None) -> str:
    """Commands and what they print in the folder of docs/tutorial.md, at most so many ``lines`` of it, then ``...``."""
    shown = []
    for command in commands:
        result = _run(command, round1())
        if result.returncode:
            raise RuntimeError(f"{command}: exit code {result.returncode}\n{result.stdout}")
        printed = result.stdout.splitlines()
        shown += [f"$ {command}", *printed[:lines], *["..."][: lines is not None and len(printed) > lines]]
    return _block("console", "\n".join(shown))


def output(command: str) -> str:
    """What a command prints; RuntimeError if it fails."""
    result = _run(command)
    if result.returncode:
        raise RuntimeError(f"{command}: exit code {result.returncode}\n{result.stdout}")
    return result.stdout


def help_of(*words: str) -> str:
    """The help of the program or of a subcommand, as a block of markdown."""
    return _block("text", _run(shlex.join(["biasvar", *words, "--help"])).stdout)


def figure_helps() -> str:
    """The helps of all figures, each under a heading; options that are those of an earlier figure are left out."""
    first: dict[str, str] = {}
    pages = []
    for name in commands("plot"):
        shown = []
        for section in _run(shlex.join(["biasvar", "plot", name, "--help"])).stdout.split("\n\n"):
            heading = section.partition("\n")[0]
            known = first.setdefault(section, name)
            shown.append(section if known == name else f"{heading} as of plot {known}")
        block = _block("text", "\n\n".join(shown))
        pages.append(f"### biasvar plot {name}\n\n{block}")
    return "\n".join(pages)


def commands(group: str | None = None) -> list[str]:
    """The names of the subcommands, of the program or of a group of it."""
    found = biasvar if group is None else biasvar.commands[group]
    if not isinstance(found, click.Group):
        raise TypeError(f"{group} is one command")
    return sorted(found.commands)


def declared(analysis: str, table: str | None = None, without: Collection[str] = ()) -> str:
    """Every column of a table of an analysis, or of its first one, in order, with its meaning.

    Columns that an option adds which is among those ``without`` are left out.
    """
    tables = import_module(f"biasvar_cli.analyses.{analysis}").TABLES
    own = [each for each in expanded(tables[table or next(iter(tables))], once=True) if each.option not in without]
    keys = {column.name for column in own if column.key}
    rows = (
        (f"`{name}`", f"{text} (not in the rows of JSON)" if name in keys else text)
        for name, text in meanings(own).items()
    )
    return _table(("column", "meaning"), rows)


def targets() -> str:
    """The table of all targets."""
    rows = (
        (f"`{written}`{' (default)' if written == BEST.text else ''}", form.score, form.gap)
        for written, form in TARGETS.items()
    )
    return _table(("`--target`", "the target's score of a query", "gap columns"), rows)


def analyses(folder: str = "docs/reference/") -> str:
    """The table of all commands, with links to their pages in a folder."""
    rows = [(f"[`{each.name}`]({folder}{each.name}.md)", each.summary) for each in ANALYSES]
    shown = f"[`plot`]({folder}plot.md), [`report`]({folder}report.md)"
    return _table(("command", "what it shows"), [*rows, (shown, "Figures for a paper; one interactive page.")])


def floors() -> str:
    """The modules of the package from the top down, in the order of import-linter, with the first sentence of each."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract.get("containers") == ["biasvar_cli"]]
    rows = []
    for name in " | ".join(layers).split(" | "):
        folder = ROOT / "biasvar_cli" / name
        path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        text = " ".join((ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split())
        rows.append((f"`{name}{'/' if folder.is_dir() else '.py'}`", text.partition(". ")[0].removesuffix(".")))
    return _table(("module", "what it is"), rows)


def results() -> str:
    """The table of functions of `import biasvar_cli`, with the tables and the figures of their results."""
    rows = []
    for analysis in ANALYSES:
        if analysis.notebook:
            tables = import_module(f"biasvar_cli.analyses.{analysis.name}").TABLES
            names = ["run:NAME" if name == "run" else name for name in tables]
            cells = (", ".join(map("`{}`".format, words)) for words in (names, analysis.figures))
            rows.append((f"`bv.{analysis.name}`", *cells))
    return _table(("function", "tables", "figures"), rows)


def glossary() -> str:
    """The table of the words that ``biasvar --words`` explains."""
    return _table(("word", "meaning"), WORDS.items())


def figures() -> str:
    """The table of all figures, each with a link to its picture."""
    rows = (
        (
            f"[`{name}`](../figures.md#{name})",
            drawn.shows[0].upper() + drawn.shows[1:],
            drawn.when[0].upper() + drawn.when[1:],
        )
        for each in ANALYSES
        for name, drawn in each.figures.items()
    )
    return _table(("figure", "what it shows", "when to use it"), rows)


def gallery() -> str:
    """Every figure under a heading of its own: what it shows and when to use it, the picture, and its command."""
    sections = []
    for each in ANALYSES:
        for name, drawn in each.figures.items():
            shows = drawn.shows[0].upper() + drawn.shows[1:].rstrip(".")
            picture = f'<img src="figures/{name}.svg" alt="{shows}">'
            sentence = textwrap.fill(f"{shows}; use it {drawn.when}.", 120)
            sections.append(f"## {name}\n\n{sentence}\n\n{picture}\n\n{_block('sh', figure_command(name))}")
    return "\n".join(sections)


def figure_command(name: str) -> str:
    """The command that draws a figure of the gallery, into a file in the current folder."""
    return f"biasvar plot {name} {DRAWN_OF.get(name, TRACK)} -o {name}.svg"


def columns(analysis: str) -> str:
    """The columns of every table of an analysis."""
    tables = import_module(f"biasvar_cli.analyses.{analysis}").TABLES
    if len(tables) == 1:
        return declared(analysis)
    return "\n".join(f"### `{name}`\n\n{declared(analysis, name)}" for name in tables)


def keys(command: str) -> str:
    """The keys of a command's JSON, nested, with the type of each value, as docs/schema.json has them."""
    schema = json.loads((ROOT / "docs" / "schema.json").read_text("utf-8"))["$defs"][command]
    return _block("text", "\n".join(_key_lines(schema, "", 0)))


def _key_lines(schema: dict[str, Any], name: str, depth: int) -> list[str]:
    """A key and those below it, one a line; keys that are columns of a table stand in one line."""
    items = schema.get("items", {})
    members = items.get("properties", schema.get("properties", {}))
    kinds = schema.get("type", "any")
    kind = kinds if isinstance(kinds, str) else " or ".join(sorted(kinds, key=lambda each: each == "null"))
    kind = f"{kind} of {items['type']}s" if isinstance(items.get("type"), str) else kind
    plain = {key: part for key, part in members.items() if "description" not in part}
    text = "  " * depth + f"{name}: {kind}"
    if len(plain) < len(members):
        text += ", the columns above" + (" and" if plain else "")
    below = [line for key, part in plain.items() for line in _key_lines(part, key, depth + bool(name))]
    return [text, *below] if name else below


def formats(names: Sequence[str]) -> str:
    """Output formats with what their functions say about themselves."""
    known: dict[str, Callable[..., str | bytes]] = {
        **{name: form.render for name, form in render.FORMATS.items()},
        **scores.TEXTS,
    }
    return _table(("format", "what it is"), ((f"`{name}`", _summary(known[name])) for name in names))


def choices(command: str, option: str) -> list[str]:
    """The choices of an option of a subcommand."""
    found = next(each for each in biasvar.commands[command].params if each.name == option)
    if not isinstance(found.type, click.Choice):
        raise TypeError(f"{command} {option} is not a choice")
    return [str(choice) for choice in found.type.choices]


def columnar_measures() -> str:
    """The measures that are computed on columns: name, parameters, trec_eval's names, definition."""
    rows = (
        (f"`{name}`", _other_names(name), _parameters(name), _trec_eval_names(name), _summary(function))
        for name, function in sorted(rank_measures.FORMULAS.items())
    )
    return _table(("measure", "also called", "parameters", "in trec_eval", "definition"), rows)


def other_measures() -> str:
    """The measures that a provider of ir-measures computes: name, parameters, trec_eval's names, provider, package."""
    rows = []
    for name in sorted({measure.NAME for measure in _registry().values()} - {*rank_measures.FORMULAS, "NumQ"}):
        provider = _provider(name)
        needs = provider.install_instructions() or ""
        package = needs.removeprefix("pip install ") if "ir-measures[" in needs else "nothing"
        kind = " (subtopics)" if MEASURES[name].subtopics else ""
        rows.append(
            (
                f"`{name}`{kind}",
                _other_names(name),
                _parameters(name),
                _trec_eval_names(name),
                provider.NAME,
                f"`{package}`" if package != "nothing" else package,
            )
        )
    return _table(("measure", "also called", "parameters", "in trec_eval", "provider", "to install"), rows)


def python_functions() -> str:
    """What `import biasvar_cli` gives: every function with its arguments, every class with its members, docstrings."""
    functions = ["evaluate", "means", *(analysis.name for analysis in ANALYSES if analysis.notebook)]
    names = [name for name in biasvar_cli.__all__ if name != "__version__"]
    in_order = [*functions, *(name for name in names if name.islower() and name not in functions)]
    values = [
        (name, getattr(biasvar_cli, name)) for name in (*in_order, *(each for each in names if not each.islower()))
    ]
    return "\n".join(_class(name, each) if isinstance(each, type) else _function(name, each) for name, each in values)


def _function(name: str, each: Any) -> str:
    """A function with its arguments, defaults and docstring."""
    given = inspect.signature(each).parameters.values()
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in given]
    call = f"bv.{name}{inspect.Signature(plain)}".replace("'", '"') + "\n"
    return f"### bv.{name}\n\n{_block('python', textwrap.fill(call, 100, subsequent_indent='    '))}\n{_words(each)}"


def _class(name: str, each: type) -> str:
    """A class with what it has beside the class it is made of, a line each."""
    rows = [
        (f"`.{member}`", (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ").replace("``", "`"))
        for member, value in vars(each).items()
        if not member.startswith("_") and member not in _FOR_THEMSELVES and inspect.getdoc(value)
        if callable(value) or isinstance(value, property | cached_property | classmethod)
    ]
    table = f"\n{_table(('member', ''), rows)}" if rows else ""
    return f"### bv.{name}\n\n{_words(each)}{table}"


def _words(each: Any) -> str:
    """A docstring, its examples as a block and its arguments as a list."""
    whole, _, arguments = (inspect.getdoc(each) or "").partition("\n\nArguments:\n")
    text, mark, example = whole.partition(">>> ")
    meanings = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", arguments, re.MULTILINE)
    listed = "".join(f"* `{name}`: {' '.join(meaning.split())}\n" for name, meaning in meanings)
    block = f"\n{_block('python', mark + example)}" if mark else ""
    return text.replace("``", "`").strip() + "\n" + block + (f"\n{listed}" if listed else "")


@cache
def _scratch() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="biasvar-docs-")
    atexit.register(folder.cleanup)
    path = Path(folder.name)
    for name in ("sample_runs", "sample_models", "qrels", "docs"):
        (path / name).symlink_to(ROOT / name)
    for name in ("npl", "cranfield"):
        (path / name).symlink_to(STUDY.absolute() / name)
    (path / "ap.csv").write_text(PAPER)
    (path / "seeds.csv").write_text(SYSTEMS)
    (path / "teams.csv").write_text("run,team\nA,x\nB,y\nC,y\nC2,x\nT,z\n")
    track = 'track = "NPL"\nyear = 1988\nruns = "sample_runs"\nqrels = "qrels/npl.qrels.txt"\n'
    (path / "shelf.toml").write_text(f"[[track]]\n{track}")
    return path


@cache
def round1() -> Path:
    """The folder that the tutorial is read in: round 1 of TREC-COVID, BEIR's leaderboard, and DL 2021 with judges."""
    reason = next(filter(None, (lack(DATA, DATA / part) for part in OF_TUTORIAL)), None)
    if reason is not None:
        raise RuntimeError(reason)
    path = _scratch() / "TREC-COVID" / "round1"
    (path / "qrels").mkdir(parents=True)
    (path / "runs").mkdir()
    for run in (DATA / "covid-round1" / "runs").glob("*.gz"):
        (path / "runs" / run.stem).write_bytes(gzip.decompress(run.read_bytes()))  # as the public repository has them
    (path / "qrels" / "qrels-rnd1.txt").symlink_to(DATA / "covid-round1" / "qrels.txt")
    (path / "beir.csv").symlink_to(DATA / "beir-leaderboard" / "beir-ndcg10.csv")
    (path / "dl21").symlink_to(DATA / "dl21-judges")
    return path


def _run(command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command of the shell in a folder, the scratch folder if none is given; standard error in standard output."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": str(_scratch()),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
        # Sums differ in their last digit with the kernels of OpenBLAS, and simulated samples with them.
        **{name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")},
    }
    return subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", command],
        cwd=folder or _scratch(),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def _block(language: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
    return f"```{language}\n{lines}\n```\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _summary(function: Callable[..., Any]) -> str:
    """The first sentence or sentences of a docstring, in one line of markdown."""
    text = " ".join((function.__doc__ or "").split("\n\n")[0].split())
    return text.replace("``", "`")


def _registry() -> dict[str, Any]:
    registry: dict[str, Any] = ir_measures.measures.registry
    return registry


def _registered(name: str) -> Any:
    return next(each for each in _registry().values() if _is_called(each, name) and not each.params)


def _is_called(measure: Any, name: str) -> bool:
    return str(measure.NAME) == name


def _other_names(name: str) -> str:
    """What ir-measures calls the measure as well, with what the name stands for where it sets parameters."""
    found = []
    for key, each in sorted(_registry().items()):
        if key != name and _is_called(each, name):
            found.append(f"`{key}`" + (f" = `{each}`" if each.params else ""))
    return ", ".join(found)


def _parameters(name: str) -> str:
    measure = _registered(name)
    found = []
    for key, spec in measure.SUPPORTED_PARAMS.items():
        default = _plain(spec.default)
        at = f"`@{key}`" if key == measure.AT_PARAM else f"`{key}{default}`"
        found.append(at + (" (required)" if spec.required else ""))
    return ", ".join(found)


def _plain(default: Any) -> str:
    return f"={default!r}" if isinstance(default, bool | int | float | str) else ""


def _trec_eval_names(name: str) -> str:
    """trec_eval's names for the measure, with what a name stands for where it sets parameters."""
    names = (written.partition("(") for written in MEASURES[name].trec_eval)
    plain = ((re.sub(r"[{}]", "", text), f"{at}{params}") for text, at, params in names)
    return ", ".join(f"`{text}`" + (f" = `{name}{params}`" if params else "") for text, params in plain)


def _provider(name: str) -> Any:
    """The provider that comes first in ir-measures' order, whether or not it is installed here."""
    measure = _registered(name)
    specs = measure.SUPPORTED_PARAMS
    required = {key: 1 if spec.dtype is int else 0.5 for key, spec in specs.items() if spec.required}
    asked = measure(**required)
    return next(provider for provider in ir_measures.DefaultPipeline.providers if provider.supports(asked))


if __name__ == "__main__":
    sys.exit("This module writes nothing by itself; `make docs` does.")
