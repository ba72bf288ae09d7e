"""One self-contained page: results in, HTML out.

`content` makes what the page shows of a track, a panel for each measure and target; `sheet` makes its tables out of
`Table`, and `page` fills the templates and says where the numbers come from. ``biasvar report`` (`command`) and
``bv.report`` (`notebook`) call these. `figures` lists the figures, which `pictures` draws as ``biasvar plot`` does and
`svg` makes small; only those of the run that the reader chooses, and the heat map, are drawn in the browser by
``templates/script``, from the numbers of the tables and the data that `script` gives them.

A figure is drawn beforehand for two widths, so that the page needs no code of Vega, which has 0.9 MB, and shows its
figures without scripts and on paper. Its colours are variables of the style sheet. In a figure of runs a mark takes
the focus, has a name and answers to keys, and a run chosen in one is chosen in all. Without the converter, which is an
extra to install, the page has its tables alone. The page is one file with a policy (``default-src 'none'`` with hashes
of its one script and style). Words, colours, escapes and rules of rounding are data of the page, and are not typed
again in the script. Jinja2 escapes everything.
"""

SUFFIXES = (".html", ".htm")  # of files that hold a page
