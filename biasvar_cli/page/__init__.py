"""One self-contained page: results in, HTML out.

`content` makes what the page shows of a track, a panel for each measure and target; `sheet` makes its tables out of
`Table`, and `page` fills the templates and says where the numbers come from. ``biasvar report`` (`command`) and
``bv.report`` (`notebook`) call these. Figures in which a run is chosen are drawn in the browser by the modules of
``templates/script``, which `script` joins, from the numbers of the tables and the data that `script` gives them;
`drawings` draws the others.

No figure of the page is drawn by Vega. A page needs no converter, which is an extra to install, so `drawings` draws
the tradeoff, the growth of the target and the trend again, for any width of the window. In the other figures a mark
takes the focus, has a name and answers to keys, and a run chosen in one is chosen in all. A page of 143 runs has
0.43 MB a measure; the code of Vega and Vega-Lite alone has 0.9 MB. The page is one file with a policy
(``default-src 'none'`` with hashes of its one script and style). Words, colours, escapes and rules of rounding are
data of the page, and are not typed again in the script. Jinja2 escapes everything.
"""

SUFFIXES = (".html", ".htm")  # of files that hold a page
