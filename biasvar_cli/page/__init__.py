"""One self-contained page: results in, HTML out.

`sheet` makes a table of the page out of a `Table`; `panel` puts together what belongs to one measure and one target;
`assembly` makes the content of the page of a track, and `about` says where it comes from; `page` fills the templates.
``biasvar report`` (`command`) and ``bv.report`` (`notebook`) call these. Figures in which a run is chosen are drawn in
the browser from the numbers of the tables and `script_data` alone, by the modules of ``templates/script``, which
`script` joins; `drawings` draws the others.

All are drawn by hand, as SVG, and not by Vega: a page needs no converter, which is an extra to install;
every mark takes the focus, has a name and answers to keys; a run chosen in one figure or table is chosen in all; and a
page of 143 runs stays at 0.4 MB a measure, where the code of Vega and Vega-Lite is 0.9 MB. The page is one file with a
policy (``default-src 'none'`` with hashes of our one script and style). Words, colours, escapes and rules of rounding
come from `script_data` in the page's data, and are not typed again in the script. Jinja2 escapes everything.
"""

SUFFIXES = (".html", ".htm")  # of files that hold a page
