"""One self-contained page: results in, HTML out.

`sheet` makes a table of the page out of a `Table`; `panel` puts together what belongs to one measure and one target;
`vocabulary` is what the page takes over from the rest of the program; `page` fills the templates. The figures are drawn
in the browser from the numbers of the tables alone, by the modules of ``templates/script``, which `script` joins.
"""
