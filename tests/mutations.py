"""Files that are almost valid: a valid one with a few mutations, or any bytes; and what a reader makes of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import event, settings
from hypothesis import strategies as st

from biasvar_cli.errors import BiasVarError

NASTY = [
    *b"nan inf -inf 1e999 1e308 -1e308 1e200 1e-320 -0.0 0 1 2 0x1 1_0 1,5 .5 1. + - NA null all 2000".split(),
    *b"5000000000 9223372036854775808 -2 1.5 AP query_id score {} [] true \xff \x80 \xc2\x85 \xe2\x80\xa8".split(),
    *("é".encode(), "\u0661".encode(), "\u00a0".encode(), b"9" * 5000, b"x" * 2000, b"[" * 5000),
    *(b"\n", b"\r\n", b"\r", b"\n\n", b"\t", b" ", b"\v", b"\f", b",", b";", b'"', b"'", b"#", b"\\\\", b"\x1b[31m"),
    *(b"\x00", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00", b"(\xb5/\xfd"),
]  # fmt: skip
TOKENS = st.sampled_from(NASTY)
WHERE = st.integers(0, 1 << 16)


FUZZ = os.environ.get("FUZZ")  # how many times as many examples; they are then others every time


def examples(number: int) -> settings:
    """So many examples, always the same ones, or with ``FUZZ`` a multiple of others (`make fuzz`, `properties`)."""
    return settings(max_examples=round(float(FUZZ or 1) * number), derandomize=FUZZ is None)


def _flip(data: bytes, at: int, _: bytes) -> bytes:
    place = at % (len(data) + 1)
    return data[:place] + bytes([(data[place] ^ (1 << at % 8)) if place < len(data) else 0]) + data[place + 1 :]


def _insert(data: bytes, at: int, token: bytes) -> bytes:
    place = at % (len(data) + 1)
    return data[:place] + token + data[place:]


def _delete(data: bytes, at: int, _: bytes) -> bytes:
    place = at % (len(data) + 1)
    return data[:place] + data[place + 1 + at % 3 :]


def _cut(data: bytes, at: int, _: bytes) -> bytes:
    return data[: at % (len(data) + 1)]


def _double_line(data: bytes, at: int, _: bytes) -> bytes:
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    place = at % len(lines)
    return b"\n".join([*lines[: place + 1], *lines[place:]])


def _move_line(data: bytes, at: int, _: bytes) -> bytes:
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return b"\n".join([*lines, lines.pop(at % len(lines))])


def replace_word(data: bytes, at: int, token: bytes) -> bytes:
    """Put the token in place of a word or a cell."""
    places = [place for place, byte in enumerate(data) if byte in b" \t\n,"] or [0]
    start = places[at % len(places)] + 1
    end = next((place for place in places if place >= start), len(data))
    return data[:start] + token + data[end:]


MUTATIONS = (_flip, _insert, _delete, _cut, _double_line, _move_line, *5 * (replace_word,))


def mutated(*seeds: bytes) -> st.SearchStrategy[bytes]:
    """A valid file with up to three mutations."""
    steps = st.lists(st.tuples(st.sampled_from(MUTATIONS), WHERE, TOKENS), max_size=3)

    def apply(seed: bytes, steps: list[tuple[Callable[[bytes, int, bytes], bytes], int, bytes]]) -> bytes:
        for mutate, at, token in steps:
            seed = mutate(seed, at, token)
        return seed

    return st.builds(apply, st.sampled_from(seeds), steps)


def anything(*seeds: bytes) -> st.SearchStrategy[bytes]:
    return st.one_of(mutated(*seeds), mutated(*seeds), mutated(*seeds), st.binary(max_size=120))


def outcome(parse: Callable[[], Any]) -> tuple[Any, str | None]:
    """What a reader gives, or the message of an error of ours."""
    try:
        return parse(), None
    except BiasVarError as error:
        event(type(error).__name__)
        return None, str(error)


def result_or_error(parse: Callable[[], Any], path: object = "the-file") -> Any:
    """What a reader gives, or None after an error of ours, which names the file."""
    result, message = outcome(parse)
    assert message is None or message.startswith(f"{path}:")
    return result
