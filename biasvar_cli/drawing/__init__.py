"""The papers' figures: results in, Vega-Lite out.

One function a figure; each takes results of the analyses and gives a specification of the grammar of graphics, as a
plain dict, which `export` turns into a file and which a page can show as it is.
"""
