"""What figures share: style, axes, labels, legends, and export.

A figure is a specification of the grammar of graphics (Vega-Lite) as a plain dict; the functions that make one stand in
``figures.py`` of the analyses. `export` turns it into a file.
"""
