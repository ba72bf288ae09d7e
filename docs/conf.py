"""The site of README.md and docs, built by `make site` with Sphinx.

The pages are those of the code host, read where they are: the top of the checkout is the source folder. Links between
them become links of the site, and a link to another file (LICENSE, a script) becomes a download. A reader needs no
network: the search index is one of the files, and formulas are MathML, made here, with the part of a font that they
need, because many systems have no font for formulas.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import ziamath
from docutils import nodes
from fontTools import subset
from latex2mathml.converter import convert

from biasvar_cli.words import VERSION

project = "biasvar"
author = "The biasvar developers"
release = VERSION
language = "en"

extensions = ["myst_parser"]
root_doc = "README"
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
include_patterns = ["*.md", "docs/*.md", "docs/reference/*.md", "docs/notebook.ipynb", "qrels/ORIGIN.md"]
exclude_patterns = [".*"]
highlight_language = "text"

myst_heading_anchors = 4  # as the code host writes them
myst_fence_as_directive = ["math"]
myst_enable_extensions = ["html_image"]
myst_disable_syntax = ["myst_block_break", "myst_line_comment", "myst_target"]

html_theme = "furo"
html_title = f"biasvar {VERSION}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_copyright = False

NAVIGATION = """
```{toctree}
:hidden:

Start <self>
```

```{toctree}
:hidden:
:caption: Learn

Tutorial <docs/tutorial>
docs/python
docs/notebook
```

```{toctree}
:hidden:
:caption: Do

Inputs <docs/inputs>
docs/my-run
docs/teams
docs/seeds
docs/leaderboards
docs/llm-judges
docs/coming-from
Pipelines <docs/pipelines>
Speed <docs/speed>
Cluster <docs/cluster>
```

```{toctree}
:hidden:
:caption: Look up

docs/reference
docs/commands
docs/reference/check
docs/reference/scores
docs/reference/decompose
docs/reference/tradeoff
docs/reference/target
docs/reference/sensitivity
docs/reference/risk
docs/reference/profile
docs/reference/compare
docs/reference/summary
docs/reference/judges
docs/reference/unjudged
docs/reference/models
docs/reference/tracks
docs/reference/plot
docs/reference/report
docs/figures
docs/reference/measures
docs/reference/files
docs/reference/output
docs/reference/python
docs/glossary
```

```{toctree}
:hidden:
:caption: Understand

docs/definitions
docs/comparing
docs/query-models
docs/validation
Study <docs/study>
qrels/ORIGIN
```

```{toctree}
:hidden:
:caption: Project

CHANGELOG
CONTRIBUTING
docs/additions
docs/real-data
SECURITY
```
"""
_COG = re.compile(r"^<!-- \[\[\[(?:cog.*?\]\]\]|end\]\]\]) -->\n", re.MULTILINE | re.DOTALL)
_NOTEBOOK = """\
# A notebook

{download}`Download notebook.ipynb <notebook.ipynb>`
"""
_BRACKET = re.compile(r"\\[Bb]ig[lr](?![a-z])")
_LETTER = re.compile(r'<mi mathvariant="normal">([^<]*)</mi>')
_WORD = re.compile(f"(?:{_LETTER.pattern}){{2,}}")
_CHARACTERS = "U+20-7E,U+391-3C9,U+2026,U+2032,U+210E,U+2200-22FF,U+1D434-1D467,U+1D6FC-1D71B"  # in formulas
_TITLE = re.compile("^# .*\n")


def read(_: Any, docname: str, source: list[str]) -> None:
    """The Markdown of a page: without the comments that make its parts, with the navigation if it is the first page."""
    text = source[0]
    if docname == "docs/notebook":
        text = _TITLE.sub(_NOTEBOOK, "".join(map(_cell, json.loads(text)["cells"])))
    text = _COG.sub("", text)
    if docname == root_doc:
        text += NAVIGATION
    source[0] = text


def _cell(cell: dict[str, Any]) -> str:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return f"{text}\n\n"
    return _fence("python", text) + "".join(map(_output, cell["outputs"]))


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _fence("text", "".join(output["text"]))
    data = {kind: "".join(content) for kind, content in output["data"].items()}
    if "image/png" in data:
        width = output["metadata"]["image/png"]["width"]
        source = f"data:image/png;base64,{data['image/png'].strip()}"
        return f'<img alt="The figure of the cell above" width="{width}" src="{source}">\n\n'
    if "text/html" in data:
        return _fence("{raw} html", f'<div class="output">{data["text/html"]}</div>')
    return _fence("text", data["text/plain"])


def _fence(kind: str, text: str) -> str:
    return f"````{kind}\n{text.rstrip()}\n````\n\n"


def formula(translator: Any, node: nodes.Element) -> None:
    """The MathML of a formula in LaTeX, with brackets of one size: browsers let one with an exponent keep its own."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    latex = _BRACKET.sub("", node.astext()).replace("{aligned}", "{align*}")
    mathml = convert(latex, display=display)
    translator.body.append(_WORD.sub(lambda word: f"<mi>{''.join(_LETTER.findall(word[0]))}</mi>", mathml))
    raise nodes.SkipNode


def finish(app: Any, exception: Exception | None) -> None:
    """Write the font of the formulas, and the page of README.md as index.html, which a server shows first."""
    if exception is None:
        font = Path(ziamath.__file__).parent / "fonts" / "STIXTwoMath-Regular.ttf"
        output = Path(app.outdir, "_static", "math.woff")
        subset.main([str(font), f"--unicodes={_CHARACTERS}", "--flavor=woff", f"--output-file={output}"])
        shutil.copyfile(Path(app.outdir, f"{root_doc}.html"), Path(app.outdir, "index.html"))


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", read)
    app.connect("build-finished", finish)
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
