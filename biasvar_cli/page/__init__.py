"""One self-contained page: results in, HTML out.

``biasvar report`` (`command`) and ``bv.report`` (`notebook`) make a page in two steps. `content` runs the analyses: a
panel for each measure and target, with the tables of `script.sheet` and the figures of `figures`, which `pictures`
draws as ``biasvar plot`` does and `svg` makes small. `page` fills the templates and says where the numbers come from.
The heat map and the figures of the chosen run are drawn in the browser, by ``templates/script``, from the data that
`script` gives it.

The other figures are drawn beforehand, for two widths. So the page needs no code of Vega, which has 0.9 MB, and shows
figures without scripts and on paper. Their colours are variables of the style sheet. The marks of runs can be focused
and have names, and choosing a run in one figure chooses it in all. Without the converter, an extra to install, the page
has only tables. The page is one file with a policy, ``default-src 'none'`` with hashes of its script and its style.
Words, colours, escapes and rules of rounding are data of the page, so that the script does not repeat them. Jinja2
escapes everything.
"""

SUFFIXES = (".html", ".htm")  # of files with a page
