"""Signs that Markdown and LaTeX would take for their own: what stands for them in cells and headings.

The patterns mean the same to Python and to a browser, whose page of `biasvar report` copies tables by them.
"""

from __future__ import annotations

import re

MARKDOWN = re.compile(r"[\\|<>*`\[\]_~&#!$]|:(?=//)|(?<=\bwww)\.")  # signs, and what would become a link
LIGATURE = re.compile(
    r"-(?=-)|,(?=,)|`(?=`)|'(?=')|[?!](?=`)"
)  # signs that LaTeX sets as another one, with that behind them
LATEX_SIGNS = {
    "{": "\\{",
    "}": "\\}",
    "&": "\\&",
    "%": "\\%",
    "$": "\\$",
    "#": "\\#",
    "_": "\\_",
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "²": "$^2$",
    "†": "$^{\\dagger}$",
    "‡": "$^{\\ddagger}$",
    "↑": "$\\uparrow$",
    "↓": "$\\downarrow$",
    "←": "$\\leftarrow$",
    "−": "$-$",
    "±": "$\\pm$",
    "α": "$\\alpha$",
    "ρ": "$\\rho$",
    "τ": "$\\tau$",
}


def latex_cell(text: str) -> str:
    r"""A cell as LaTeX sets it, sign by sign; `report` has the same in its script.

    >>> latex_cell("a_b--c & 5 %")
    'a\\_b-{}-c \\& 5 \\%'
    """
    return LIGATURE.sub(r"\g<0>{}", "".join(LATEX_SIGNS.get(sign, sign) for sign in text))


def markdown_text(text: str) -> str:
    r"""Text as markdown has it, sign by sign; `report` has the same in its script.

    >>> print(markdown_text("a_b|c"))
    a\_b\|c
    """
    return MARKDOWN.sub(r"\\\g<0>", text)
