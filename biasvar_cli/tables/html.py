"""Tables as HTML for a notebook: sentences, a table that scrolls where it is long, and notes.

The style sheet in every output applies to that output only, and takes its colours from the theme of the notebook. A
viewer that removes it, such as GitHub, shows the table in its own style.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from biasvar_cli.tables.layout import HIGHLIGHT, PLUS_MINUS, Layout, TextColumn, text_columns
from biasvar_cli.words import in_python

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table

# Colours of JupyterLab, of documentation by Sphinx, and of VS Code, or else those of the browser.
_STYLE = """<style>
.biasvar section + section { margin-top: 1.5em }
.biasvar p { margin: 0.3em 0; max-width: 60em }
.biasvar .biasvar-note { font-size: smaller }
.biasvar .biasvar-rows ~ p:not(.biasvar-note) { margin-top: 1em }
.biasvar .biasvar-rows { max-height: 42em; max-width: 100%; overflow: auto; margin: 0.8em 0 }
.biasvar .biasvar-rows table { margin: 0; border-collapse: separate; border-spacing: 0 }
.biasvar .biasvar-rows tr {
  color: var(--jp-content-font-color1, var(--pst-color-text-base, var(--vscode-editor-foreground, CanvasText)));
  background: var(--jp-layout-color0, var(--pst-color-background, var(--vscode-editor-background, Canvas)));
}
.biasvar .biasvar-rows :is(td, th) {
  padding: 0.25em 0.7em; background: inherit; text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums;
}
.biasvar .biasvar-rows tr > :first-child { position: sticky; left: 0; z-index: 1 }
.biasvar .biasvar-rows :is(thead, tfoot) { position: sticky; top: 0; bottom: 0; z-index: 2; border: 0 }
.biasvar .biasvar-rows thead tr:last-child th { box-shadow: inset 0 -1px }
.biasvar .biasvar-rows tfoot :is(td, th) { box-shadow: inset 0 1px }
.biasvar .biasvar-rows .biasvar-group {
  text-align: center; border-left: 0.7em solid transparent; box-shadow: inset 0 -1px;
}
.biasvar .biasvar-rows :is(tbody th, tfoot th, .biasvar-words) { text-align: left }
.biasvar .biasvar-rows :is(tbody, tfoot) th { font-weight: normal }
.biasvar .biasvar-rows td.biasvar-words { white-space: normal }
.biasvar .biasvar-rows sup { display: inline-block; width: 0; line-height: 0; text-align: left }
</style>"""
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def html(tables: Sequence[Table], layout: Layout) -> str:
    """Tables as HTML without scripts. Names are escaped, and the title of a head is the meaning of its column.

    >>> from biasvar_cli.tables.table import Table
    >>> page = html([Table("One run", {"run": ["<b>"], "mean": [0.25]})], Layout(digits=2))
    >>> "<tr><th>&lt;b&gt;</th><td>0.25</td></tr>" in page
    True
    """
    lines = ['<div class="biasvar">', _STYLE]
    for table in tables:
        lines.append("<section>")
        for part in layout.parts(table):
            lines.append(_tagged("p", _tagged("strong", _plain(layout.words(part.title, in_python)))))
            lines += [_tagged("p", _plain(layout.words(note, in_python))) for note in part.verdict]
            lines += [_body(part, text_columns(part, layout.digits))] if part.columns else []
            marks = layout.highlight_notes(table) if part is table else ()
            lines += _notes((*marks, *part.notes), layout)
        lines.append("</section>")
    return "\n".join([*lines, *_notes(layout.notices_line(tables), layout), "</div>"])


def _notes(notes: Iterable[str], layout: Layout) -> list[str]:
    return [_tagged("p", _plain(layout.words(note, in_python)), css="biasvar-note") for note in notes]


def _body(table: Table, columns: Sequence[TextColumn]) -> str:
    """The heads, with the groups of columns over them, the rows, and the target's row at the end."""
    lines = ['<div class="biasvar-rows"><table>', "<thead>"]
    if table.groups:
        groups = groupby(table.groups.get(column.column_name, "") for column in columns)
        spans = [(name, str(len([*same])), "biasvar-group" if name else "") for name, same in groups]
        lines.append(_tagged("tr", *(_tagged("th", _plain(name), colspan=size, css=css) for name, size, css in spans)))
    heads = []
    for column in columns:
        meaning = column.declared.text_meaning if column.declared else ""
        in_python = _OPTION.sub(lambda option: option[1].replace("-", "_"), meaning)  # options as arguments
        heads.append(_tagged("th", _plain(column.name.rpartition("\n")[2]), css=_css(column), title=in_python))
    lines += [_tagged("tr", *heads), "</thead>", "<tbody>"]
    lines += [_row(columns, cells) for cells in zip(*(_cells(column, table) for column in columns), strict=True)]
    lines.append("</tbody>")
    if table.target_row is not None:
        lines += ["<tfoot>", _row(columns, [_plain(column.last) for column in columns]), "</tfoot>"]
    return "\n".join([*lines, "</table></div>"])


def _row(columns: Sequence[TextColumn], cells: Iterable[str]) -> str:
    """A row; its first cell is a heading if the first column has words."""
    named = "td" if columns[0].right else "th"
    parts = [
        _tagged("td", cell, css=_css(column)) if index else _tagged(named, cell)
        for index, (column, cell) in enumerate(zip(columns, cells, strict=True))
    ]
    return _tagged("tr", *parts)


def _css(column: TextColumn) -> str:
    return "" if column.right else "biasvar-words"


def _cells(column: TextColumn, table: Table) -> list[str]:
    """The escaped cells of a column with their marks; the best value is bold if the table has emphasis."""
    cells, nothing = [], [""] * len(column.cells)
    for cell, mark, spread in zip(column.cells, column.marks or nothing, column.spreads or nothing, strict=True):
        is_bold = (table.emphasis and cell == column.best) or cell.endswith(f" {HIGHLIGHT}")
        text = _tagged("strong", _plain(cell)) if is_bold else _plain(cell)
        text += _tagged("sup", _plain(mark)) if mark else ""
        cells.append(f"{text} {PLUS_MINUS} {spread}" if spread else text)
    return cells


def _plain(text: str) -> str:
    return escape(text, quote=False)


def _tagged(name: str, *parts: str, css: str = "", **attributes: str) -> str:
    """An element whose parts are HTML; empty attributes are left out.

    >>> _tagged("td", "0.25", css="", title='mean "AP"')
    '<td title="mean &quot;AP&quot;">0.25</td>'
    """
    attributes = {"class": css, **attributes}
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items() if value)
    return f"<{name}{written}>{''.join(parts)}</{name}>"
