"""One self-contained page: results in, HTML out.

`sheet` makes a table of the page out of a `Table`; `panel` puts together what belongs to one measure and one target;
`page` fills the templates. The figures are drawn in the browser by ``templates/report.js``, from the numbers of the
tables alone.
"""
