"""Signs that Markdown and LaTeX would take for their own: what stands for them in cells and headings.

The patterns mean the same to Python and to a browser, whose page of `biasvar report` copies tables by them.
"""

from __future__ import annotations

import re

MARKDOWN = re.compile(r"[\\|<>*`\[\]_~&#!$]|:(?=//)|(?<=\bwww)\.")  # signs, and what would become a link
LIGATURE = re.compile(r"-(?=-)|`(?=`)|'(?=')|[?!](?=`)")  # signs that LaTeX sets as another one, with that behind them
LATEX_HEADINGS = {
    "bias2": "bias$^2$",
    "var_gap": "var$_{\\mathrm{gap}}$",
    "total_gap": "total$_{\\mathrm{gap}}$",
    "total_w": "total$_{w}$",
}
LATEX_SIGNS = {  # of the page; `render.latex` has those of tabulate
    **{sign: f"\\{sign}" for sign in "{}&%$#_"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "²": "$^2$",
}
