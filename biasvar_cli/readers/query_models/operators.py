"""The words of queries in the languages of Indri and Terrier: terms, operators, brackets."""

from __future__ import annotations

import re
from typing import NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.readers.text import NUMBER, shown

Weights = dict[str, float]  # of terms

_TOKEN = re.compile(
    r'\s*(?:#(?P<operator>\w*)(?P<parts>(?::[^:()\s]+)*)\s*(?P<open>\()|(?P<close>\))|"(?P<quoted>[^"]*)"'
    r"|(?P<word>[^\s()\"]+))"
)


class Token(NamedTuple):
    """A word, an operator with what it opens, or a closing bracket; ``parts`` of a word in quotes are the quotes."""

    kind: str  # word, operator, close
    text: str
    parts: str = ""


class QueryText:
    """The tokens of a query, one after the other, and the place to name in an error."""

    def __init__(self, text: str, path: str, line: int) -> None:
        self._path, self._line, self._at = path, line, 0
        self._tokens = list(self._split(text))

    def _split(self, text: str) -> list[Token]:
        tokens, at = [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.wrong(f"cannot read the query from {shown(text[at : at + 40])} on")
            at = match.end()
            if match["open"]:
                tokens.append(Token("operator", match["operator"], match["parts"]))
            elif match["close"]:
                tokens.append(Token("close", ")"))
            else:
                quoted = match["quoted"]
                if quoted is not None and len(quoted.split()) != 1:
                    raise self.wrong(f"the phrase {shown(quoted)} is no weighted term")
                tokens.append(Token("word", match["word"]) if quoted is None else Token("word", quoted.strip(), '"'))
        return tokens

    def wrong(self, what: str) -> DataError:
        """The error of this query."""
        return DataError(what, path=self._path, line=self._line)

    def next(self) -> Token | None:
        """The next token, None at the end."""
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else None

    def no_operator(self, token: Token) -> DataError:
        """The error of an operator that is no weighting of terms."""
        what = f"#{token.text} is no weighting of terms"
        return self.wrong(f"{what}; write the query without it")


def number_of(token: Token, tokens: QueryText) -> float:
    """A weight. Raises `DataError` for one that is negative or no finite number."""
    if token.kind == "word" and NUMBER.fullmatch(token.text) and float(token.text) < float("inf"):
        value = float(token.text)
        if value < 0:
            raise tokens.wrong(f"the weight {token.text} is negative; weights are probabilities")
        return value
    sign = token.text if token.kind == "word" else f"#{token.text}(" if token.kind == "operator" else ")"
    raise tokens.wrong(f"expected a weight, found {shown(sign)}")
