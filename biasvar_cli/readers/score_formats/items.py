"""The item that a query id stands for, as a file describes it: its text, its hash, its task, the data set's revision.

Ids are often positions, so that one id may stand for different items in two files.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats.names import plain
from biasvar_cli.readers.text import quoted
from biasvar_cli.words import argument

Facts = Mapping[str, str]  # the values that describe an item, by their names in the file
Items = Mapping[str, Facts]  # by query

# Columns that identify an item, the most exact ones first.
_NAMES = (
    *("doc_hash", "item_hash", "sample_hash", "input_hash", "question", "question_text", "query_text", "query"),
    *("user_input", "input", "inputs", "instruction", "problem", "topic_text", "user_query", "prompt"),
)
# Facts about a whole file, which a column of ids cannot replace, and the remedy if two files differ.
_OF_FILES = {
    "task": "give the results of one task",
    "evaluation_name": "give the results of one evaluation",
    "dataset_revision": "evaluate again on one revision, or leave the task out with {exclude}",
    "splits and subsets": "evaluate again on the same ones, or leave the task out with {exclude}",
}
_LONGEST = 200  # characters of a text that is kept whole
_SHARED = 30  # characters: if two texts begin with more equal ones, messages leave the beginning out


def item_name(names: Iterable[str], ids: Collection[str] = ()) -> str | None:
    """The column that identifies the item of a row, apart from columns in ``ids``; None without such a column.

    LangSmith and MLflow write the inputs of a call as ``inputs.question`` and ``inputs/question``.

    >>> item_name(["qid", "run", "question", "score"]), item_name(["id", "inputs.question"]), item_name(["qid", "bm25"])
    ('question', 'inputs.question', None)
    """
    others = [name for name in reversed([*names]) if name not in ids]
    by_name = {plain(re.split("[./]", name)[-1]): name for name in others if name.lower().startswith("input")}
    by_name |= {plain(name): name for name in others}
    return next((by_name[name] for name in _NAMES if name in by_name), None)


def fingerprint(value: Any) -> str:
    """A short text that is equal for equal items; in a message only role and content matter.

    >>> fingerprint(" Who wrote\\nEmma? "), len(fingerprint("Why? " * 1000))
    ('Who wrote Emma?', 78)
    >>> fingerprint([{"id": "x1", "role": "user", "content": "Who?"}])
    '[{"content": "Who?", "role": "user"}]'
    """
    if isinstance(value, list):
        are_messages = all(isinstance(entry, dict) and {"role", "content"} <= set(entry) for entry in value)
        value = [{key: entry[key] for key in ("role", "content")} for entry in value] if are_messages else value
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    text = " ".join(text.split())
    if len(text) <= _LONGEST:
        return text
    import hashlib  # takes 5 ms, for OpenSSL

    return f"{text[:60]}... {hashlib.blake2b(text.encode(), digest_size=7).hexdigest()}"


def items_of(rows: Iterable[tuple[int | None, str, Facts]], path: str) -> dict[str, Facts]:
    """The facts by query, from the line, the query and the facts of each record.

    Raises `DataError`, with the line, for a query with two items.

    >>> items_of([(1, "301", {"input": "Who?"}), (2, "301", {"input": "When?"})], "a.jsonl")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: a.jsonl:2: 301 is two items: input Who? before, When? here; give every item an id \
of its own, or pair by item with id_column='input'
    >>> items_of([(1, "301", {}), (2, "301", {"input": "Who?"})], "a.jsonl")
    {'301': {'input': 'Who?'}}
    """
    items: dict[str, Facts] = {}
    for line, query, facts in rows:
        known = items.setdefault(query, facts)
        name = _difference(known, facts)
        if name is not None:
            one, other = told_apart(known[name], facts[name])
            pair = f"give every item an id of its own, or pair by item with {argument(id_column=name)}"
            remedy = _OF_FILES.get(name, pair).format(exclude=argument("exclude"))
            what = f"{quoted(query)} is two items: {name} {one} before, {other} here"
            raise DataError(f"{what}; {remedy}", path=path, line=line)
        if facts.keys() - known.keys():
            items[query] = {**known, **facts}
    return {query: facts for query, facts in items.items() if facts}


def _difference(one: Facts, other: Facts) -> str | None:
    """The first name under which two records of an item disagree."""
    return next((name for name, value in one.items() if other.get(name, value) != value), None)


def told_apart(one: str, other: str) -> tuple[str, str]:
    """Two texts as a message shows them; a long common beginning is left out."""
    start = next((index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    texts = (text if start < _SHARED else f"...{text[start - 10 :]}" for text in (one, other))
    first, second = (text if re.fullmatch(r"\S{1,60}", text) else f'"{quoted(text)}"' for text in texts)
    return first, second


def remedy_of(name: str, query: str, one: Items, other: Items) -> str:
    """The remedy for two files in which a query stands for different items, which differ in the fact ``name``."""
    ids = [key for key in one[query] if key not in _OF_FILES and key in other[query]]
    values = {key: [{facts.get(key) for facts in items.values()} - {None} for items in (one, other)] for key in ids}
    shared = [key for key in sorted(ids, key=lambda key: "hash" not in key) if set.intersection(*values[key])]
    pair = f"pair by item with {argument(id_column=shared[0])}" if shared else ""
    first = _OF_FILES.get(name, "" if shared else "they have no item in common: give results on the same ones")
    return ", or ".join(filter(None, (first.format(exclude=argument(exclude=f"{query}.json")), pair)))


def other_items(one: Items, other: Items, queries: Iterable[str]) -> dict[str, str]:
    """The queries that stand for different items in two files, with the name of the fact that differs.

    >>> other_items({"1": {"input": "Who?"}}, {"1": {"input": "When?"}}, ["1", "2"])
    {'1': 'input'}
    """
    both = ((query, _difference(one[query], other[query])) for query in queries if query in one and query in other)
    return {query: name for query, name in both if name is not None}
