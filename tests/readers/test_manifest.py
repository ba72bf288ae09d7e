"""MANIFEST.toml: what a manifest says, and in which words a bad one is refused."""

from __future__ import annotations

import errno
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import anything, examples, result_or_error

from biasvar_cli.errors import DataError, DataErrors, UsageError
from biasvar_cli.readers.manifest import Manifest, ManifestTrack, parse_manifest, read_manifest
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.targets import make_target
from biasvar_cli.scoring.track import Scored
from biasvar_cli.specs import BEST, parse_target
from biasvar_cli.words import TiePrecision

TRACK = '[[track]]\ntrack = "TREC-3"\nyear = 1994\nscores = "ap.csv"\n'
OTHER = '[[track]]\ntrack = "TREC-4"\nyear = 1995\nscores = "ap.csv"\n'
RUNS = '[[track]]\ntrack = "TREC-3"\nyear = 1994\nruns = "runs"\nqrels = "qrels.txt"\n'
FULL = f"""\
[defaults]
measure = "AP"
series = "ad hoc"
{TRACK}
[[track]]
track = "TREC-4"
series = "web"
year = 1994
runs = ["a.gz", "b.gz"]
qrels = "qrels.txt"
measure = "nDCG@20"
glob = "*.gz"
exclude = ["*.bak", "old"]
recursive = true
orient = "runs"
id_column = "none"
allow_range = true
lower_is_better = true
topics = "topics.txt"
name_by = "tag"
max_grade = 2
max_size = "4G"
tie_precision = "double"
keep_empty_topics = true
target = "best:0.9"
teams = "teams.csv"
"""


@pytest.fixture(autouse=True)
def _files(in_an_empty_folder: None) -> None:
    """Work in a folder that is empty but for the files that the manifests name."""
    for name in ("ap.csv", "qrels.txt", "topics.txt", "teams.csv", "a.gz", "b.gz"):
        Path(name).touch()
    Path("runs").mkdir()


def parsed(text: str | bytes, path: str = "M.toml") -> Manifest:
    return parse_manifest(text if isinstance(text, bytes) else text.encode(), path)


def only(text: str, path: str = "M.toml") -> ManifestTrack:
    (track,) = parsed(text, path).tracks
    return track


def refused(text: str | bytes) -> str:
    with pytest.raises((DataError, DataErrors)) as caught:
        parsed(text)
    return caught.value.typed


# ---- what is read


def test_every_key_of_a_track_is_read():
    assert parsed(FULL).tracks == (
        ManifestTrack("TREC-3", "ad hoc", 1994, ("ap.csv",), None, "AP", BEST, None, {}, ()),
        ManifestTrack(
            name="TREC-4",
            series="web",
            year=1994,
            inputs=("a.gz", "b.gz"),
            qrels="qrels.txt",
            measure="nDCG@20",
            target=parse_target("best:0.9"),
            teams="teams.csv",
            options={
                "glob": "*.gz",
                "exclude": ("*.bak", "old"),
                "recursive": True,
                "name_by": "tag",
                "topics": "topics.txt",
                "keep_empty_topics": True,
                "orient": "runs",
                "id_column": "none",
                "allow_range": True,
                "lower_is_better": True,
                "tie_precision": "double",
                "max_grade": 2,
                "max_size": 4 << 30,
            },
            missing=(),
            others=("qrels.txt", "teams.csv", "topics.txt"),
        ),
    )


def test_a_track_needs_no_more_than_a_name_a_year_and_scores():
    assert only(TRACK) == ManifestTrack("TREC-3", "", 1994, ("ap.csv",), None, None, BEST, None, {}, ())


def test_the_tracks_are_in_the_order_of_the_file():
    assert [track.name for track in parsed(OTHER + TRACK).tracks] == ["TREC-4", "TREC-3"]


def test_a_manifest_that_is_not_there_is_refused_by_its_name():
    with pytest.raises(DataError, match=r"^absent\.toml: cannot be read: No such file or directory$"):
        read_manifest("absent.toml")


@pytest.mark.parametrize("spell", [lambda text: f"\ufeff{text}", lambda text: text.replace("\n", "\r\n")])
def test_a_byte_order_mark_and_other_line_ends_do_no_harm(spell):
    Path("M.toml").write_bytes(spell(FULL).encode())
    assert read_manifest("M.toml") == parsed(FULL)


def test_the_request_has_what_the_manifest_gives_and_the_defaults_of_a_request_else():
    assert TrackRequest(**only(TRACK).request_options()) == TrackRequest(inputs=("ap.csv",))
    track = parsed(FULL).tracks[1]
    assert TrackRequest(**track.request_options()) == TrackRequest(
        inputs=track.inputs, qrels=track.qrels, measures=("nDCG@20",), **track.options
    )


def test_options_of_one_track_alone_can_be_given():
    names = {field.name for field in fields(TrackRequest)}
    of_commands = {
        "names",
        "highlight",
        "pool",
        "jobs",
        "dask",
        "dask_timeout",
        "needs_runs",
        "auxiliary",
        "replicates",
        "unit",
    }
    assert names - parsed(FULL).tracks[1].request_options().keys() == of_commands


# ---- defaults


def test_a_default_is_taken_where_a_track_does_not_say():
    first, second = parsed(f'[defaults]\nmeasure = "P@5"\norient = "runs"\n{TRACK}measure = "RR"\n{OTHER}').tracks
    assert (first.measure, first.options) == ("RR", {"orient": "runs"})
    assert (second.measure, second.options) == ("P@5", {"orient": "runs"})


def test_defaults_may_stand_below_the_tracks():
    assert only(f'{TRACK}\n[defaults]\ntarget = "perfect"\n').target.text == "perfect"


def test_inputs_can_have_a_default():
    text = '[defaults]\nruns = "runs"\nqrels = "qrels.txt"\n[[track]]\ntrack = "T"\nyear = 1\n'
    assert (only(text).inputs, only(text).qrels) == (("runs",), "qrels.txt")


@pytest.mark.parametrize(("default", "own"), [("runs", "scores"), ("scores", "runs"), ("runs", "runs")])
def test_a_track_s_runs_or_scores_stand_in_for_default_ones_of_either_kind(default, own):
    text = f'[defaults]\n{default} = "a.gz"\nqrels = "qrels.txt"\n[[track]]\ntrack = "T"\nyear = 1\n{own} = "b.gz"\n'
    assert only(text).inputs == ("b.gz",)


@pytest.mark.parametrize("key", ["track", "year"])
def test_a_name_and_a_year_have_no_default(key):
    value = '"T"' if key == "track" else "1994"
    assert refused(f"[defaults]\n{key} = {value}\n{TRACK}") == (
        f"M.toml: [defaults]: {key} cannot have a default; give it in each [[track]]"
    )


def test_what_is_wrong_in_the_defaults_is_reported_once_and_not_for_every_track():
    assert refused(f'[defaults]\nscores = 3\nmesure = "AP"\n{TRACK.replace("scores", "#")}{OTHER}') == (
        "M.toml: [defaults]: scores: expected a path or a list of paths, found 3\n"
        "M.toml: [defaults]: unknown key mesure; did you mean measure?"
    )


# ---- paths


@pytest.mark.parametrize(
    ("path", "placed"),
    [
        ("M.toml", "{}"),
        ("./M.toml", "{}"),
        ("trec/M.toml", "trec/{}"),
        ("../M.toml", "../{}"),
        ("/data/M.toml", "/data/{}"),
        ("s3://bucket/trec/M.toml", "s3://bucket/trec/{}"),
        ("-", "{}"),
    ],
)
def test_paths_are_relative_to_the_folder_of_the_manifest(path, placed):
    track = only(f'{RUNS}topics = "t"\nteams = "x/teams.csv"\ntarget = "file:best.csv"\n', path)
    names = [*track.inputs, track.qrels, track.options["topics"], track.teams, track.target.name]
    assert names == [placed.format(name) for name in ("runs", "qrels.txt", "t", "x/teams.csv", "best.csv")]


@pytest.mark.parametrize("name", ["/data/ap.csv", "s3://bucket/ap.csv", "memory://ap.csv"])
def test_absolute_paths_and_urls_stay(name):
    assert only(TRACK.replace("ap.csv", name), "trec/M.toml").inputs == (name,)


@pytest.mark.parametrize("topics", ["qrels", "union", "intersection"])
def test_words_for_topics_are_no_paths(topics):
    track = only(f'{RUNS}topics = "{topics}"\n', "trec/M.toml")
    assert track.options == {"topics": topics}
    assert f"trec/{topics}" not in track.missing


def test_a_file_called_like_standard_input_is_a_file():
    assert only(TRACK.replace("ap.csv", "./-")).inputs == ("./-",)


def test_what_is_not_there_is_reported_of_its_track_and_stops_no_other():
    lists = 'qrels = "q"\ntopics = "t"\nteams = "m"\ntarget = "file:f"\n'
    first, second = parsed(f"{TRACK.replace('ap.csv', 'absent.csv')}{lists}{OTHER}").tracks
    assert first.missing == ("absent.csv", "q", "f", "m", "t")
    assert second.missing == ()


def test_a_missing_file_of_several_is_reported_once():
    assert only(TRACK.replace('"ap.csv"', '["x", "ap.csv", "y", "x"]')).missing == ("x", "y")


def test_urls_are_not_looked_up():
    assert only(TRACK.replace("ap.csv", "s3://bucket/absent.csv")).missing == ()


@pytest.mark.parametrize("name", ["x" * 5000, "a\\u0000b", "ap.csv/below"])
def test_names_that_no_file_can_have_are_missing(name):
    assert len(only(TRACK.replace("ap.csv", name)).missing) == 1


def test_what_lies_in_a_closed_folder_is_missing(monkeypatch):
    def closed(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "exists", closed)
    assert only(TRACK).missing == ("ap.csv",)


# ---- keys and values


@pytest.mark.parametrize(
    ("key", "near"),
    [
        *(("sereis", "series"), ("id-column", "id_column"), ("Glob", "glob"), ("measures", "measure")),
        *(("qrel", "qrels"), ("name", "track"), ("inputs", "runs"), ("metric", "measure"), ("name-by", "name_by")),
        ("recursiv", "recursive"),
    ],
)
def test_an_unknown_key_is_refused_with_a_near_one(key, near):
    assert refused(f'{TRACK}{key} = "x"\n') == f"M.toml: track TREC-3: unknown key {key}; did you mean {near}?"


def test_an_unknown_key_that_is_near_none_is_refused_with_all_of_them():
    assert refused(f"{TRACK}zzz = 1\n") == (
        "M.toml: track TREC-3: unknown key zzz; the keys are track, series, year, scores, runs, qrels, measure, "
        "target, teams, glob, exclude, recursive, orient, id_column, allow_range, lower_is_better, topics, name_by, "
        "max_grade, max_size, tie_precision, keep_empty_topics"
    )


TEXTS = {
    "series": "a name, or nothing between the quotes",
    "qrels": "a path",
    "teams": "a path",
    "measure": "the name of one measure",
    "target": "best, best:Q, perfect, ideal, run:NAME, mean:X or file:PATH",
    "glob": "a pattern such as *.gz",
    "orient": "queries or runs",
    "id_column": "the name of a column, or none",
    "topics": "qrels, intersection, union or a path",
    "name_by": "file or path or tag",
    "tie_precision": "single or double",
}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("3", "3"),
        ("true", "true"),
        ("0.5", "0.5"),
        ("[]", "an empty list"),
        ("['a']", "a list"),
        ("{a = 1}", "a table"),
        ("1994-01-01", "a date or time"),
        ("12:30:00", "a date or time"),
        ("nan", "nan"),
        ("-inf", "-inf"),
        (f"0x{'f' * 9000}", "a number of too many digits"),
        ("' '", "' '"),
    ],
)
def test_a_value_of_a_wrong_type_is_refused_where_a_text_is_expected(value, found):
    lines = refused(f"{TRACK}{''.join(f'{key} = {value}{chr(10)}' for key in TEXTS)}").split("\n")
    assert lines == [
        f"M.toml: track TREC-3: {key}: expected {expected}, found {found}" for key, expected in TEXTS.items()
    ]


@pytest.mark.parametrize(
    ("key", "value", "expected", "found"),
    [
        *(("year", value, "a whole number from 1 to 9999", value) for value in ("0", "-1", "10000", "1994.0", "true")),
        ("year", "'1994'", "a whole number from 1 to 9999", "'1994'"),
        ("year", "1994-01-01", "a whole number from 1 to 9999", "a date or time"),
        *(
            ("max_grade", value, "a whole number from 1 to 1000", value)
            for value in ("0", "-4", "1001", "2.5", "false", "'4'")
        ),
        *(("keep_empty_topics", value, "true or false", value) for value in ("1", "0", "'yes'")),
        *(("scores", value, "a path or a list of paths", value) for value in ("1", "''", "' '", "'-'")),
        ("scores", "[]", "a path or a list of paths", "an empty list"),
        *(("scores", value, "a path or a list of paths", "a list") for value in ("[1]", "['a', '']", "['a', ['b']]")),
        ("qrels", "'-'", "a path", "'-'"),
        ("qrels", "['a', 'b']", "a path", "a list"),
        ("series", "' ad hoc'", "a name, or nothing between the quotes", "' ad hoc'"),
        ("measure", "''", "the name of one measure", "''"),
        ("glob", "''", "a pattern such as *.gz", "''"),
        ("exclude", "''", "a pattern or a list of patterns", "''"),
        ("exclude", "['a', 1]", "a pattern or a list of patterns", "a list"),
        ("recursive", "'yes'", "true or false", "'yes'"),
    ],
)
def test_a_value_that_will_not_do_is_refused(key, value, expected, found):
    text = "\n".join(line for line in TRACK.split("\n") if not line.startswith(f"{key} ="))
    assert refused(f"{text}{key} = {value}\n") == f"M.toml: track TREC-3: {key}: expected {expected}, found {found}"


@pytest.mark.parametrize(
    ("key", "value", "near"),
    [
        ("orient", "querys", "queries"),
        ("orient", "RUNS", "runs"),
        ("name_by", "tags", "tag"),
        ("tie_precision", "doubel", "double"),
        ("target", "bset", "best"),
        ("target", "Perfect", "perfect"),
    ],
)
def test_a_word_that_is_no_choice_is_refused_with_a_near_one(key, value, near):
    assert refused(f'{TRACK}{key} = "{value}"\n') == (
        f"M.toml: track TREC-3: {key}: expected {TEXTS[key]}, found '{value}'; did you mean {near}?"
    )


@pytest.mark.parametrize("year", [1, 1994, 9999])
def test_years_up_to_their_limits_are_read(year):
    assert only(TRACK.replace("1994", str(year))).year == year


def test_choices_are_those_of_a_request():
    hints = get_type_hints(TrackRequest)
    for key, choices in (
        ("orient", get_args(get_args(hints["orient"])[0])),
        ("name_by", get_args(hints["name_by"])),
        ("tie_precision", get_args(TiePrecision)),
    ):
        assert [only(f'{TRACK}{key} = "{word}"\n').options[key] for word in choices] == list(choices)
        assert f"expected {' or '.join(choices)}, found" in refused(f'{TRACK}{key} = "neither"\n')


TARGETS = ["best", "best:0.5", "best:0", "best:1", "perfect", "run:r", "run:a:b", "mean:0.3", "mean:-1e-3"]


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_of_the_command_line_is_read(target):
    assert only(f'{TRACK}target = "{target}"\n').target.text == target


@pytest.mark.parametrize(
    "target",
    ["", "bset", "BEST", "best:x", "best:1.5", "best:nan", "perfect:", "ideal:1", "run", "run:", "mean", "mean:",
     "mean:inf", "mean:x", "file", "file:", "median", "best :0.5"],
)  # fmt: skip
def test_every_target_that_the_command_line_refuses_is_refused(target):
    assert "target: expected best, best:Q, perfect" in refused(f'{TRACK}target = "{target}"\n')
    runs = ScoreMatrix(np.array([[0.5]]), ("r",), ("q",), "AP")
    with pytest.raises(UsageError):
        make_target(parse_target(target), Scored(runs, runs, None, None))


# ---- keys that need another


def test_runs_need_qrels():
    assert refused(RUNS.replace("qrels =", "#")) == (
        "M.toml: track TREC-3: runs needs relevance judgments; add the path of qrels"
    )


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("keep_empty_topics = true", "keep_empty_topics"),
        ('topics = "qrels"', "topics = qrels"),
        ('target = "ideal"', "target = ideal"),
    ],
)
def test_what_qrels_alone_can_tell_needs_them_and_may_come_by_default(line, what):
    message = f"M.toml: track TREC-3: {what} needs relevance judgments; add the path of qrels"
    assert refused(f"{TRACK}{line}\n") == message
    assert refused(f"[defaults]\n{line}\n{TRACK}") == message
    assert only(f'{TRACK}qrels = "qrels.txt"\n{line}\n').missing == ()
    assert only(f'[defaults]\nqrels = "qrels.txt"\n{TRACK}{line}\n').qrels == "qrels.txt"


def test_scores_and_runs_are_not_both_given():
    both = "there are both scores and runs; keep one, and put the others into a track of their own"
    assert refused(f'{RUNS}scores = "ap.csv"\n') == f"M.toml: track TREC-3: {both}"
    assert refused(f'[defaults]\nruns = "runs"\nscores = "ap.csv"\nqrels = "qrels.txt"\n{TRACK}') == (
        f"M.toml: [defaults]: {both}"
    )


def test_scores_or_runs_are_given():
    assert refused('[[track]]\ntrack = "T"\nyear = 1994\n') == (
        "M.toml: track T: there are neither scores nor runs; add the paths of score files or of runs"
    )


@pytest.mark.parametrize("place", ["track", "defaults"])
def test_a_measure_that_runs_cannot_be_scored_by_is_refused_with_a_near_one(place):
    line = 'measure = "nDGC@20"\n'
    text = f"{RUNS}{line}" if place == "track" else f"[defaults]\n{line}{RUNS}"
    assert refused(text) == ("M.toml: track TREC-3: unknown measure 'nDGC@20'; did you mean nDCG@20 or alpha_nDCG@20?")


def test_score_files_may_hold_measures_that_nothing_computes():
    assert only(f'{TRACK}measure = "D#-nDCG@10"\n').measure == "D#-nDCG@10"


# ---- names and years


def test_a_track_without_a_name_is_refused_and_one_without_a_year_is_read():
    what = 'M.toml: [[track]] number 1: there is no name; add one, such as track = "TREC-3"'
    assert refused(TRACK.replace("track =", "#")) == what
    assert only(TRACK.replace("year =", "#")).year is None


@pytest.mark.parametrize("name", ["''", "' '", "'T '", '"a\\nb"', '"\\u001b[31m"', "3"])
def test_a_track_whose_name_cannot_stand_in_a_table_is_counted_instead(name):
    message = refused(OTHER + TRACK.replace('"TREC-3"', name))
    assert message.startswith("M.toml: [[track]] number 2: track: expected a name, without blanks around it, found ")
    assert message.isprintable()


def test_a_name_given_twice_is_refused():
    assert refused(TRACK + OTHER + TRACK) == (
        "M.toml: track TREC-3 is given twice, as [[track]] 1 and 3; give one another name"
    )


@pytest.mark.parametrize(
    ("series", "where"), [("", "the series without a name"), ('series = "ad hoc"\n', "series ad hoc")]
)
def test_a_year_twice_in_one_series_is_refused_with_both_tracks(series, where):
    remedy = "give one another year or series, or leave the year out"
    message = f"M.toml: track TREC-3 and track TREC-4 are both of 1994 in {where}; {remedy}"
    assert refused(f"{TRACK}{series}{OTHER.replace('1995', '1994')}{series}") == message
    assert refused(f"[defaults]\n{series}{TRACK}{OTHER.replace('1995', '1994')}") == message


def test_a_year_may_come_again_in_another_series():
    tracks = parsed(f'{TRACK}{OTHER.replace("1995", "1994")}series = "web"\n').tracks
    assert [(track.series, track.year) for track in tracks] == [("", 1994), ("web", 1994)]


# ---- the whole


def test_all_that_is_wrong_is_reported_in_one_pass():
    text = (
        f'yaer = 1994\n[defaults]\nglob = 1\n{TRACK}orient = "rows"\nzeal = 1\n'
        f'{OTHER.replace("1995", "1994")}[[track]]\nyear = "1996"\nruns = "runs"\n'
    )
    lines = refused(text).split("\n")
    assert [line.removeprefix("M.toml: ").split("; ")[0] for line in lines] == [
        "unknown key yaer",
        "[defaults]: glob: expected a pattern such as *.gz, found 1",
        "track TREC-3: orient: expected queries or runs, found 'rows'",
        "track TREC-3: unknown key zeal",
        "[[track]] number 3: year: expected a whole number from 1 to 9999, found '1996'",
        "[[track]] number 3: there is no name",
        "[[track]] number 3: runs needs relevance judgments",
        "track TREC-3 and track TREC-4 are both of 1994 in the series without a name",
    ]


def test_a_name_under_another_key_is_one_error():
    assert refused(TRACK.replace("track =", "name =")) == (
        "M.toml: [[track]] number 1: unknown key name; did you mean track?"
    )


def test_a_missing_file_does_not_hide_what_is_wrong_elsewhere():
    assert refused(f"{TRACK.replace('ap.csv', 'absent')}{OTHER}year_of = 1\n").startswith(
        "M.toml: track TREC-4: unknown key year_of"
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "[defaults]\n", "track = []\n"])
def test_a_manifest_without_a_track_is_refused(text):
    assert refused(text) == "M.toml: there is no track; write [[track]] above the keys of each"


@pytest.mark.parametrize(
    ("text", "found"),
    [("[track]\nyear = 1\n", "a table"), ("track = 'TREC-3'\n", "'TREC-3'"), ("track = [1, {year = 1}]", "a list")],
)
def test_tracks_that_are_no_tables_are_refused(text, found):
    assert refused(text).startswith(
        f"M.toml: track: expected tables, found {found}; write [[track]] above the keys of each track"
    )


@pytest.mark.parametrize(("text", "found"), [("defaults = 3\n", "3"), ("[[defaults]]\nmeasure = 'AP'\n", "a list")])
def test_defaults_that_are_no_table_are_refused(text, found):
    assert refused(f"{text}{TRACK}") == (
        f"M.toml: defaults: expected a table, found {found}; write [defaults] above its keys"
    )


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("measure", "write it below [defaults] or a [[track]]"),
        ("default", "did you mean defaults?"),
        ("zzz", "there are [defaults] and [[track]]"),
    ],
)
def test_an_unknown_key_at_the_top_is_refused_with_where_it_belongs(key, hint):
    assert refused(f'{key} = "AP"\n{TRACK}') == f"M.toml: unknown key {key}; {hint}"


def test_tables_called_tracks_are_refused_with_the_near_name():
    assert refused(TRACK.replace("[[track]]", "[[tracks]]")).startswith(
        "M.toml: unknown key tracks; did you mean track?\n"
    )


# ---- not TOML


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (f"{TRACK}year = 1995\n", 5, "Cannot overwrite a value"),
        (f"{TRACK}measure = AP\n", 5, "Invalid value, in column 11"),
        (f"{TRACK}measure = 'AP\n", 5, "at the end"),
        ("[[track]\n", 1, "in column "),
        (f"{TRACK}scores2 = [\n", 5, "at the end"),
        (f'{TRACK}measure = """AP\n\n\n', 5, "at the end"),
        ("track,year\nTREC-3,1994\n", 1, "in column "),
    ],
)
def test_what_is_not_toml_is_refused_with_its_line(text, line, what):
    message = refused(text)
    assert message.startswith(f"M.toml:{line}: not TOML: ")
    assert what in message
    assert message.endswith("; correct it")
    assert "(at " not in message


def test_other_encodings_are_refused_with_the_line():
    assert refused(TRACK.replace("TREC-3", "é").encode("latin-1")) == (
        "M.toml:2: not UTF-8 text: byte 0xe9; save it as UTF-8"
    )


def test_a_number_too_long_to_be_read_is_refused():
    assert refused(f"{TRACK}max_grade = {'9' * 5000}\n") == (
        "M.toml: a number has too many digits; write a shorter one"
    )


@pytest.mark.parametrize("brackets", ["[" * 5000, "[" * 5000 + "]" * 5000, "{a=" * 5000])
def test_brackets_without_end_are_refused(brackets):
    assert refused(f"{TRACK}scores2 = {brackets}\n").startswith("M.toml:")


def test_long_values_and_keys_are_cut():
    text = f'{TRACK}orient = "{"x" * 5000}"\n{"y" * 5000} = 1\n{OTHER}year2.{".".join("a" * 2000)} = 1\n'
    assert all(len(line) < 400 for line in refused(text).split("\n"))


# ---- anything

VALUES: Any = st.recursive(
    st.sampled_from(["1", "1994", "true", "0.5", "nan", "''", "'-'", "'ap.csv'", "'runs'", "'qrels'", "'best'", "'AP'"])
    | st.sampled_from(
        ["'file:x'", "'P'", "'x://y'", "1994-01-01", '"\\u0000"', "'nDCG@20'", "'run:'", "0xffffffffffff"]
    ),
    lambda inner: st.lists(inner, max_size=2).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=3,
)
NAMES = ["track", "year", "series", "scores", "runs", "qrels", "measure", "target", "teams", "glob", "orient", "topics"]
PAIRS = st.dictionaries(st.sampled_from([*NAMES, "max_grade", "name_by", "odd", "'é'"]), VALUES, max_size=6)


def table(head: str, pairs: dict[str, str]) -> str:
    return "\n".join([head, *(f"{key} = {value}" for key, value in pairs.items())])


@examples(75)
@given(st.lists(st.tuples(st.sampled_from(["[[track]]", "[other]", "[defaults]"]), PAIRS), max_size=4))
def test_any_keys_and_values_are_a_manifest_or_an_error(parts):
    text = "\n".join(table(head, pairs) for head, pairs in parts)
    manifest = result_or_error(lambda: parsed(text), "M.toml")
    if manifest is not None:
        for track in manifest.tracks:
            TrackRequest(**track.request_options())


@examples(100)
@given(anything(FULL.encode(), RUNS.encode(), (TRACK + OTHER).encode()))
def test_any_bytes_are_a_manifest_or_an_error(data):
    Path("M.toml").write_bytes(data)
    manifest = result_or_error(lambda: read_manifest("M.toml"), "M.toml")
    if manifest is not None:
        assert manifest.tracks
        assert len({track.name for track in manifest.tracks}) == len(manifest.tracks)
        assert len({(track.series, track.year) for track in manifest.tracks}) == len(manifest.tracks)
