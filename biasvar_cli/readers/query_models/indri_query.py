"""Queries of Indri as the weights of their terms.

Source: Indri's query language, and its QueryExpander, which writes expanded queries in it: #weight divides its weights
by their sum, #combine has equal ones.
"""

from __future__ import annotations

import re

from biasvar_cli.readers.query_models.operators import QueryText, Token, Weights, number_of
from biasvar_cli.readers.text import shown

_OF_FIELD = re.compile(r"\w+\.[^\W\d].*")  # title in a.title


def indri_weights(text: str, path: str, line: int) -> Weights:
    """The share of each term in an Indri query of #weight, #combine and terms; the shares sum to 1.

    Raises `DataError`, with the line, for any other operator and what is no query.

    >>> indri_weights('#weight( 0.5 #combine( radio wave ) 0.5 #weight( 0.02 "radio" 0.06 "iron" ) )', "rm.log", 1)
    {'radio': 0.375, 'wave': 0.25, 'iron': 0.375}
    >>> indri_weights("#1(radio wave)", "rm.log", 1)
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: rm.log:1: #1 is no weighting of terms; write the query without it
    """
    tokens = QueryText(text, path, line)
    return _indri_node(tokens, weighted=False, outermost=True)


def _indri_node(tokens: QueryText, *, weighted: bool, outermost: bool) -> Weights:
    """The shares of what stands within one operator, or of the whole query."""
    children: list[tuple[float, Weights]] = []
    while True:
        token = tokens.next()
        if token is None or token.kind == "close":
            if (token is None) != outermost:
                raise tokens.wrong("a bracket is not closed" if token is None else "a bracket is closed twice")
            return _shares(children)
        weight = 1.0
        if weighted:
            weight = number_of(token, tokens)
            token = tokens.next()
        if token is None or token.kind == "close":
            raise tokens.wrong("a weight has no term behind it")
        children.append((weight, _indri_child(token, tokens)))


def _indri_child(token: Token, tokens: QueryText) -> Weights:
    if token.kind == "word":
        if not token.parts and _OF_FIELD.fullmatch(token.text):
            raise tokens.wrong(f"{shown(token.text)} is a term of one field; write the term alone")
        return {token.text: 1.0}
    if token.text not in ("weight", "combine") or token.parts:
        raise tokens.no_operator(token)
    return _indri_node(tokens, weighted=token.text == "weight", outermost=False)


def _shares(children: list[tuple[float, Weights]]) -> Weights:
    """The sum of the parts of an operator, each with its share of the weights; parts without a term have none."""
    parts = [(weight, terms) for weight, terms in children if weight > 0 and terms]
    total = sum(weight for weight, _ in parts)
    found: Weights = {}
    for weight, terms in parts:
        for term, share in terms.items():
            found[term] = found.get(term, 0.0) + weight / total * share
    return found
