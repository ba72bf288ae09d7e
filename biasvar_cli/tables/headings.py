"""The heads of LaTeX tables: one word or sign for every column of every command."""

from __future__ import annotations

import re

from biasvar_cli.tables.escapes import latex_cell
from biasvar_cli.words import COEFFICIENTS

_QUANTITIES = {
    "mean": "mean",
    "bias": "bias",
    "bias2": "bias$^2$",
    "var": "variance",
    "total": "total",
    "var_gap": "variance (gap)",
    "total_gap": "total (gap)",
    "bias_est": "bias (est.)",  # of query models: estimation
    "bias2_est": "bias$^2$ (est.)",
    "var_est": "variance (est.)",
    "total_est": "total (est.)",
}
_ENDS = {"_low": ", low", "_high": ", high"}
_PARTS = {"": "", **_ENDS, "_p": ", $p$"}
_COMPARED = {
    "d_bias": "$\\Delta$ bias",
    "d_total": "$\\Delta$ total",
    "d_total_gap": "$\\Delta$ total (gap)",
    "ratio_var": "variance ratio",
    "ratio_var_gap": "variance ratio (gap)",
    "d_bias_est": "$\\Delta$ bias (est.)",
    "d_total_est": "$\\Delta$ total (est.)",
    "ratio_var_est": "variance ratio (est.)",
}
_TESTS = {
    "t": "$t$",
    "randomisation": "randomisation",
    "bootstrap": "bootstrap",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
    "tukey": "Tukey",
    "stepdown": "step-down",
}
_CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini--Hochberg"}
_SAMPLINGS = {"single": "single", "random": "random", "difficulty": "by difficulty", "normalised": "normalised"}
_COEFFICIENTS = {"pearson": "Pearson's $r$", "spearman": "Spearman's $\\rho$", "kendall": "Kendall's $\\tau$"}
_RISKS = {  # each of them at one alpha
    "u_risk": "$U_{\\mathrm{risk}}$",
    "t_risk": "$T_{\\mathrm{risk}}$",
    "z_risk": "$Z_{\\mathrm{risk}}$",
    "geo_risk": "GeoRisk",
}
_OF_ALPHA = re.compile(rf"({'|'.join(_RISKS)})_([^_ ]+)(_low|_high|_p|)")

LATEX_HEADINGS = {
    **_QUANTITIES,
    **{f"{name}{end}": words + more for name, words in _QUANTITIES.items() for end, more in _ENDS.items()},
    **{
        f"{name}{end}": words + more
        for name, words in _COMPARED.items()
        for end, more in {**_PARTS, "_holm": ", $p$ (Holm)"}.items()
    },
    "total_w": "weighted total",
    "pareto": "Pareto front",
    **_COEFFICIENTS,
    "subset_size": "subset size",
    "n_subsets": "subsets",
    "n_dropped": "dropped",
    "null_r": "null $r$",
    "null_low": "null, low",
    "null_high": "null, high",
    "p": "$p$",
    "r": "$r$",
    "null r": "null $r$",
    "null rho": "null $\\rho$",
    "null tau": "null $\\tau$",
    "n_runs": "runs",
    "n_queries": "queries",
    "n_teams": "teams",
    "n_models": "models",
    "n_terms": "terms",
    "by_interval": "by interval",
    "n_below": "members below",
    "query_id": "query",
    "n_suppliers": "best runs",
    "sd": "SD",
    "bias_loro": "bias without the run",
    "bias_loto": "bias without the team",
    "team_unique": "unique (team)",
    "tau": "$\\tau$",
    "tau_gap": "$\\tau$ (gap)",
    "tau_ap": "$\\tau_{\\mathrm{AP}}$",
    "tau_ap_gap": "$\\tau_{\\mathrm{AP}}$ (gap)",
    "least_total": "least total",
    "least_total_gap": "least total (gap)",
    "rank_loro": "rank without the run",
    "rank_perfect": "rank (perfect)",
    "switch_low": "switch, below",
    "switch_high": "switch, above",
    "of_track": "share of the track",
    "before_perfect": "before perfect",
    "pearson_gap": "Pearson's $r$ (gap)",
    "target_mean": "target mean",
    "target_rarefied": "target, rarefied",
    "n_years": "years",
    "n_undefined": "undefined",
    "least_p": "least $p$",
    **{
        f"{kind}_{name}": f"{_COEFFICIENTS[name]}, {words}"
        for kind, words in _SAMPLINGS.items()
        for name in COEFFICIENTS
    },
    "delta": "$\\Delta$",
    "ri": "RI",
    "lt_init": "loss share",
    "gmap": "GMAP",
    "break_even": "break-even $\\alpha$",
    "r_loss": "R-Loss",
    "baseline_score": "baseline score",
    "largest_loss": "largest loss",
    "es": "effect size",
    "es_e2": "effect size (ANOVA)",
    "t": "$t$",
    **{f"{test}_p": f"$p$ ({words})" for test, words in _TESTS.items()},
    **{
        f"{test}_{correction}": f"$p$ ({words}, {name})"
        for test, words in _TESTS.items()
        for correction, name in _CORRECTIONS.items()
    },
    "n_pairs": "pairs",
    "n_significant": "significant",
    "smallest_significant": "smallest significant",
    "largest_not_significant": "largest not significant",
}


def latex_heading(name: str) -> str:
    r"""The head of a column in LaTeX: that of `LATEX_HEADINGS`, a risk with its alpha, else the name in words.

    >>> latex_heading("var_gap"), latex_heading("t_risk_2.5_p")
    ('variance (gap)', '$T_{\\mathrm{risk}}$, $\\alpha = 2.5$, $p$')
    >>> latex_heading("bias2 95 %")  # an interval
    'bias$^2$, 95 \\%'
    >>> latex_heading("a_new&column")
    'a new\\&column'
    """
    if name in LATEX_HEADINGS:
        return LATEX_HEADINGS[name]
    found = _OF_ALPHA.fullmatch(name)
    if found is not None:
        risk, alpha, part = found.groups()
        return f"{_RISKS[risk]}, $\\alpha = {alpha}${_PARTS[part]}"
    first, space, rest = name.partition(" ")
    if space and (first in LATEX_HEADINGS or _OF_ALPHA.fullmatch(first)):
        return f"{latex_heading(first)}, {latex_cell(rest)}"
    return latex_cell(name.replace("_", " "))
