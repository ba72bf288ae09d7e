"""MANIFEST.toml: what a manifest says, and in which words a bad one is refused."""

from __future__ import annotations

import errno
import json
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import anything, examples, result_or_error

from biasvar_cli.errors import DataError, DataErrors, UsageError
from biasvar_cli.readers.manifest import Manifest, ManifestTrack, parse_manifest, read_manifest
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.targets import make_target
from biasvar_cli.scoring.track import Scored
from biasvar_cli.specs.targets import BEST, TARGETS, parse_target
from biasvar_cli.words import TiePrecision, listed

TRACK = '[[track]]\ntrack = "TREC-3"\nyear = 1994\nscores = "ap.csv"\n'
OTHER = '[[track]]\ntrack = "TREC-4"\nyear = 1995\nscores = "ap.csv"\n'
RUNS = '[[track]]\ntrack = "TREC-3"\nyear = 1994\nruns = "runs"\nqrels = "qrels.txt"\n'
WEB = {"track": "TREC-4", "series": "web", "year": 1994, "runs": ["a.gz", "b.gz"], "qrels": "qrels.txt"}
WEB |= {"measure": "nDCG@20", "target": "best:0.9", "teams": "teams.csv"}
OPTIONS = {"glob": "*.gz", "exclude": ["*.bak", "old"], "recursive": True, "orient": "runs", "id_column": "none"}
OPTIONS |= {"allow_range": True, "lower_is_better": True, "topics": "topics.txt", "name_by": "tag", "max_grade": 2}
OPTIONS |= {"max_size": "4G", "tie_precision": "double", "keep_empty_topics": True}
OPTIONS |= {"allow_unjudged": True, "ignore_identical_ids": True}
FULL = f'[defaults]\nmeasure = "AP"\nseries = "ad hoc"\n{TRACK}[[track]]\n'
FULL += "".join(f"{key} = {json.dumps(value)}\n" for key, value in (WEB | OPTIONS).items())


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


FILE, DEFAULTS = "M.toml: ", "M.toml: [defaults]: "


def refused(text: str | bytes, start: str = "M.toml: track TREC-3: ") -> str:
    """What is said of a manifest: in every line, what follows the place that it starts with."""
    with pytest.raises((DataError, DataErrors)) as caught:
        parsed(text)
    lines = caught.value.typed.split("\n")
    assert all(line.startswith(start) for line in lines), lines
    return "\n".join(line.removeprefix(start) for line in lines)


# ---- what is read


def test_every_key_of_a_track_is_read():
    options = {**OPTIONS, "exclude": ("*.bak", "old"), "max_size": 4 << 30}
    web = (("a.gz", "b.gz"), "qrels.txt", "nDCG@20", parse_target("best:0.9"), "teams.csv", options, ())
    assert parsed(FULL).tracks == (
        ManifestTrack("TREC-3", "ad hoc", 1994, ("ap.csv",), None, "AP", BEST, None, {}, ()),
        ManifestTrack("TREC-4", "web", 1994, *web, ("qrels.txt", "teams.csv", "topics.txt")),
    )


def test_a_track_needs_no_more_than_a_name_a_year_and_scores():
    assert only(TRACK) == ManifestTrack("TREC-3", "", 1994, ("ap.csv",), None, None, BEST, None, {}, ())


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
    names = {field.name for field in fields(TrackRequest)} - parsed(FULL).tracks[1].request_options().keys()
    of_commands = "names highlight pool jobs dask dask_timeout needs_runs auxiliary replicates unit documents"
    assert names == set(of_commands.split())


# ---- defaults


def test_a_default_is_taken_where_a_track_does_not_say():
    second, first = parsed(f'[defaults]\nmeasure = "P@5"\norient = "runs"\n{OTHER}{TRACK}measure = "RR"\n').tracks
    assert (first.measure, first.options) == ("RR", {"orient": "runs"})
    assert (second.measure, second.options) == ("P@5", {"orient": "runs"})
    assert only(f'{TRACK}\n[defaults]\ntarget = "perfect"\n').target.text == "perfect"  # below the tracks too


def test_inputs_can_have_a_default():
    text = '[defaults]\nruns = "runs"\nqrels = "qrels.txt"\n[[track]]\ntrack = "T"\nyear = 1\n'
    assert (only(text).inputs, only(text).qrels) == (("runs",), "qrels.txt")


@pytest.mark.parametrize(("default", "own"), [("runs", "scores"), ("scores", "runs"), ("runs", "runs")])
def test_a_track_s_runs_or_scores_stand_in_for_default_ones_of_either_kind(default, own):
    text = f'[defaults]\n{default} = "a.gz"\nqrels = "qrels.txt"\n[[track]]\ntrack = "T"\nyear = 1\n{own} = "b.gz"\n'
    assert only(text).inputs == ("b.gz",)


@pytest.mark.parametrize("key", ["track", "year"])
def test_a_name_and_a_year_have_no_default(key):
    message = f"{key} cannot have a default; give it in each [[track]]"
    assert refused(f"[defaults]\n{key} = 'T'\n{TRACK}", DEFAULTS) == message


def test_what_is_wrong_in_the_defaults_is_reported_once_and_not_for_every_track():
    text = f'[defaults]\nscores = 3\nmesure = "AP"\n{TRACK.replace("scores", "#")}{OTHER}'
    message = "scores: expected a path or a list of paths, found 3\nunknown key mesure; did you mean measure?"
    assert refused(text, DEFAULTS) == message


# ---- paths


@pytest.mark.parametrize("folder", ["", "./", "trec/", "../", "/data/", "s3://bucket/trec/"])
def test_paths_are_relative_to_the_folder_of_the_manifest(folder):
    track = only(f'{RUNS}topics = "t"\nteams = "x/teams.csv"\ntarget = "file:best.csv"\n', f"{folder}M.toml")
    names = [*track.inputs, track.qrels, track.options["topics"], track.teams, track.target.name]
    expected = ("runs", "qrels.txt", "t", "x/teams.csv", "best.csv")
    assert names == [folder.removeprefix("./") + name for name in expected]


@pytest.mark.parametrize(("name", "missing"), [("/data/ap.csv", 1), ("s3://bucket/ap.csv", 0), ("memory://ap.csv", 0)])
def test_absolute_paths_and_urls_stay_and_urls_are_not_looked_up(name, missing):
    track = only(TRACK.replace("ap.csv", name), "trec/M.toml")
    assert (track.inputs, len(track.missing)) == ((name,), missing)


@pytest.mark.parametrize("topics", ["qrels", "union", "intersection"])
def test_words_for_topics_are_no_paths(topics):
    track = only(f'{RUNS}topics = "{topics}"\n', "trec/M.toml")
    assert track.options == {"topics": topics}
    assert f"trec/{topics}" not in track.missing


def test_a_file_called_like_standard_input_is_a_file():
    assert only(TRACK.replace("ap.csv", "./-")).inputs == ("./-",)
    assert only(TRACK, "-").inputs == ("ap.csv",)  # of a manifest on standard input


def test_what_is_not_there_is_reported_once_of_its_track_and_stops_no_other():
    lists = 'qrels = "q"\ntopics = "t"\nteams = "m"\ntarget = "file:f"\n'
    first, second = parsed(f"{TRACK.replace('ap.csv', 'absent.csv')}{lists}{OTHER}").tracks
    assert first.missing == ("absent.csv", "q", "f", "m", "t")
    assert second.missing == ()
    assert only(TRACK.replace('"ap.csv"', '["x", "ap.csv", "y", "x"]')).missing == ("x", "y")


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
    assert refused(f'{TRACK}{key} = "x"\n') == f"unknown key {key}; did you mean {near}?"


def test_an_unknown_key_that_is_near_none_is_refused_with_all_of_them():
    assert refused(f"{TRACK}zzz = 1\n") == (
        "unknown key zzz; the keys are track, series, year, scores, runs, qrels, measure, target, teams, glob, "
        "exclude, recursive, name_by, orient, id_column, allow_range, lower_is_better, max_size, topics, "
        "keep_empty_topics, allow_unjudged, ignore_identical_ids, tie_precision, max_grade"
    )


TEXTS = {
    "series": "a name, or nothing between the quotes",
    "qrels": "a path",
    "teams": "a path",
    "measure": "the name of one measure",
    "target": listed(TARGETS, None, "or"),
    "glob": "a pattern such as *.gz",
    "orient": "queries or runs",
    "id_column": "the name of a column, or none",
    "topics": "qrels, intersection, union or a path",
    "name_by": "file or path or tag",
    "tie_precision": "single or double",
}
EXPECTED = TEXTS | {
    "year": "a whole number from 1 to 9999",
    "max_grade": "a whole number from 1 to 1000",
    "keep_empty_topics": "true or false",
    "recursive": "true or false",
    "scores": "a path or a list of paths",
    "exclude": "a pattern or a list of patterns",
}
KINDS = {"['a']": "a list", "[]": "an empty list", "{a = 1}": "a table", "12:30:00": "a date or time"}
KINDS |= {"1994-01-01": "a date or time", f"0x{'f' * 9000}": "a number of too many digits"}


@pytest.mark.parametrize("value", ["3", "true", "0.5", "nan", "-inf", "' '", *KINDS])
def test_a_value_of_a_wrong_type_is_refused_where_a_text_is_expected(value):
    lines = refused(TRACK + "".join(f"{key} = {value}\n" for key in TEXTS)).split("\n")
    found = KINDS.get(value, value)
    assert lines == [f"{key}: expected {expected}, found {found}" for key, expected in TEXTS.items()]


@pytest.mark.parametrize(
    ("key", "values", "found"),
    [
        ("year", ("0", "-1", "10000", "1994.0", "true", "'1994'"), None),
        ("max_grade", ("0", "-4", "1001", "2.5", "false", "'4'"), None),
        ("keep_empty_topics", ("1", "0", "'yes'"), None),
        ("scores", ("1", "''", "' '", "'-'"), None),
        ("scores", ("[1]", "['a', '']", "['a', ['b']]"), "a list"),
        ("qrels", ("'-'",), None),
        ("series", ("' ad hoc'",), None),
        ("exclude", ("['a', 1]",), "a list"),
    ],
)
def test_a_value_that_will_not_do_is_refused(key, values, found):
    text = "\n".join(line for line in TRACK.split("\n") if not line.startswith(f"{key} ="))
    for value in values:
        assert refused(f"{text}{key} = {value}\n") == f"{key}: expected {EXPECTED[key]}, found {found or value}"


@pytest.mark.parametrize(
    ("key", "value", "near"),
    [
        ("orient", "querys", "queries"),
        ("orient", "RUNS", "runs"),
        ("tie_precision", "doubel", "double"),
        ("target", "bset", "best"),
        ("target", "Perfect", "perfect"),
    ],
)
def test_a_word_that_is_no_choice_is_refused_with_a_near_one(key, value, near):
    message = f"{key}: expected {TEXTS[key]}, found '{value}'; did you mean {near}?"
    assert refused(f'{TRACK}{key} = "{value}"\n') == message


@pytest.mark.parametrize("year", [1, 9999])
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
        assert TEXTS[key] == " or ".join(choices)


@pytest.mark.parametrize("target", ["best:0.5", "run:a:b", "mean:-1e-3"])
def test_every_target_of_the_command_line_is_read(target):
    assert only(f'{TRACK}target = "{target}"\n').target.text == target


@pytest.mark.parametrize("target", ["", "BEST", "best:x", "best:2", "perfect:", "run", "mean:inf", "file:", "best :1"])
def test_every_target_that_the_command_line_refuses_is_refused(target):
    assert "target: expected best, best:Q, " in refused(f'{TRACK}target = "{target}"\n')
    runs = ScoreMatrix(np.array([[0.5]]), ("r",), ("q",), "AP")
    with pytest.raises(UsageError):
        make_target(parse_target(target), Scored(runs, runs, None, None))


# ---- keys that need another


NEEDS_QRELS = "needs relevance judgments; add the path of qrels"


def test_runs_need_qrels():
    assert refused(RUNS.replace("qrels =", "#")) == f"runs {NEEDS_QRELS}"


@pytest.mark.parametrize("line", ["keep_empty_topics = true", 'topics = "qrels"', 'target = "ideal"'])
def test_what_qrels_alone_can_tell_needs_them_and_may_come_by_default(line):
    message = f"{line.removesuffix(' = true').replace(chr(34), '')} {NEEDS_QRELS}"
    assert refused(f"{TRACK}{line}\n") == refused(f"[defaults]\n{line}\n{TRACK}") == message
    assert only(f'{TRACK}qrels = "qrels.txt"\n{line}\n').missing == ()
    assert only(f'[defaults]\nqrels = "qrels.txt"\n{TRACK}{line}\n').qrels == "qrels.txt"


def test_scores_and_runs_are_not_both_given():
    both = "there are both scores and runs; keep one of them, and make another track of the other"
    assert refused(f'{RUNS}scores = "ap.csv"\n') == both
    defaults = '[defaults]\nruns = "runs"\nscores = "ap.csv"\nqrels = "qrels.txt"\n'
    assert refused(f"{defaults}{TRACK}", DEFAULTS) == both


def test_scores_or_runs_are_given():
    message = "there are neither scores nor runs; add the paths of score files or of runs"
    assert refused(TRACK.replace("scores =", "#")) == message


@pytest.mark.parametrize("text", [RUNS + "{}", "[defaults]\n{}" + RUNS], ids=["track", "defaults"])
def test_a_measure_that_runs_cannot_be_scored_by_is_refused_with_a_near_one(text):
    message = "unknown measure 'nDGC@20'; did you mean nDCG@20 or alpha_nDCG@20?"
    assert refused(text.format('measure = "nDGC@20"\n')) == message


def test_score_files_may_hold_measures_that_nothing_computes():
    assert only(f'{TRACK}measure = "D#-nDCG@10"\n').measure == "D#-nDCG@10"


# ---- names and years


def test_a_track_without_a_name_is_refused_and_one_without_a_year_is_read():
    message = 'there is no name; add one, such as track = "TREC-3"'
    assert refused(TRACK.replace("track =", "#"), "M.toml: [[track]] number 1: ") == message
    assert only(TRACK.replace("year =", "#")).year is None


@pytest.mark.parametrize("name", ["''", "'T '", '"a\\nb"', '"\\u001b[31m"', "3"])
def test_a_track_whose_name_cannot_stand_in_a_table_is_counted_instead(name):
    message = refused(OTHER + TRACK.replace('"TREC-3"', name), "M.toml: [[track]] number 2: ")
    assert message.startswith("track: expected a name, without blanks around it, found ")
    assert message.isprintable()


def test_a_name_given_twice_is_refused():
    message = "track TREC-3 is given twice, as [[track]] 1 and 3; give one another name"
    assert refused(TRACK + OTHER + TRACK, FILE) == message


@pytest.mark.parametrize(
    ("series", "where"), [("", "the series without a name"), ('series = "ad hoc"\n', "series ad hoc")]
)
def test_a_year_twice_in_one_series_is_refused_with_both_tracks(series, where):
    remedy = "give one another year or series, or leave the year out"
    message = f"track TREC-3 and track TREC-4 are both of 1994 in {where}; {remedy}"
    other = OTHER.replace("1995", "1994")
    assert refused(f"{TRACK}{series}{other}{series}", FILE) == message
    assert refused(f"[defaults]\n{series}{TRACK}{other}", FILE) == message


def test_a_year_may_come_again_in_another_series():
    tracks = parsed(f'{TRACK}{OTHER.replace("1995", "1994")}series = "web"\n').tracks
    assert [(track.series, track.year) for track in tracks] == [("", 1994), ("web", 1994)]


# ---- the whole


def test_all_that_is_wrong_is_reported_in_one_pass():
    text = (
        f'yaer = 1994\n[defaults]\nglob = 1\n{TRACK}orient = "rows"\nzeal = 1\n'
        f'{OTHER.replace("1995", "1994")}[[track]]\nyear = "1996"\nruns = "runs"\n'
    )
    assert [line.split("; ")[0] for line in refused(text, FILE).split("\n")] == [
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
    message = "unknown key name; did you mean track?"
    assert refused(TRACK.replace("track =", "name ="), "M.toml: [[track]] number 1: ") == message


def test_a_missing_file_does_not_hide_what_is_wrong_elsewhere():
    text = f"{TRACK.replace('ap.csv', 'absent')}{OTHER}year_of = 1\n"
    assert refused(text, "M.toml: track TREC-4: ").startswith("unknown key year_of")


@pytest.mark.parametrize("text", ["", "# nothing\n", "[defaults]\n", "track = []\n"])
def test_a_manifest_without_a_track_is_refused(text):
    assert refused(text, FILE) == "there is no track; write [[track]] above the keys of each track"


AT_THE_TOP = {
    "[track]\nyear = 1\n": "track: expected tables, found a table; write [[track]] above the keys of each track",
    "track = [1, {year = 1}]": "track: expected tables, found a list; write [[track]] above the keys of each track",
    f"defaults = 3\n{TRACK}": "defaults: expected a table, found 3; write [defaults] above its keys",
    f"[[defaults]]\n{TRACK}": "defaults: expected a table, found a list; write [defaults] above its keys",
    f"measure = 'AP'\n{TRACK}": "unknown key measure; write it below [defaults] or a [[track]]",
    f"default = 'AP'\n{TRACK}": "unknown key default; did you mean defaults?",
    f"zzz = 'AP'\n{TRACK}": "unknown key zzz; a manifest has [defaults] and [[track]]",
    TRACK.replace("[[track]]", "[[tracks]]"): "unknown key tracks; did you mean track?",
}


@pytest.mark.parametrize(("text", "message"), AT_THE_TOP.items())
def test_what_does_not_belong_at_the_top_is_refused_with_where_it_does(text, message):
    assert refused(text, FILE).split("\n")[0] == message


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
    message = refused(text, f"M.toml:{line}: not TOML: ")
    assert what in message
    assert message.endswith("; correct it")
    assert "(at " not in message


def test_other_encodings_are_refused_with_the_line():
    text = TRACK.replace("TREC-3", "é").encode("latin-1")
    assert refused(text, "M.toml:2: ") == "not UTF-8 text: byte 0xe9; save it as UTF-8"


def test_a_number_too_long_to_be_read_is_refused():
    text = f"{TRACK}max_grade = {'9' * 5000}\n"
    assert refused(text, FILE) == "a number has too many digits; write a shorter one"


@pytest.mark.parametrize("brackets", ["[" * 5000, "[" * 5000 + "]" * 5000, "{a=" * 5000])
def test_brackets_without_end_are_refused(brackets):
    assert refused(f"{TRACK}scores2 = {brackets}\n", "M.toml:")


def test_long_values_and_keys_are_cut():
    text = f'{TRACK}orient = "{"x" * 5000}"\n{"y" * 5000} = 1\n{OTHER}year2.{".".join("a" * 2000)} = 1\n'
    assert all(len(line) < 400 for line in refused(text, FILE).split("\n"))


# ---- anything

WORDS = ["''", "'-'", "'ap.csv'", "'runs'", "'qrels'", "'best'", "'AP'", "'file:x'", "'P'", "'x://y'", "'run:'"]
OTHERS = ["1", "1994", "true", "0.5", "nan", "1994-01-01", '"\\u0000"', "0xffffffffffff"]
LISTS = st.lists(st.sampled_from(WORDS), max_size=2).map(lambda items: f"[{', '.join(items)}]")
NAMES = ["track", "year", "series", "scores", "runs", "qrels", "measure", "target", "teams", "glob", "orient", "topics"]
NAMES += ["max_grade", "name_by", "odd", "'é'"]
PAIRS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(WORDS + OTHERS) | LISTS, max_size=6)


def table(head: str, pairs: dict[str, str]) -> str:
    return "\n".join([head, *(f"{key} = {value}" for key, value in pairs.items())])


@examples(25)
@given(st.lists(st.tuples(st.sampled_from(["[[track]]", "[other]", "[defaults]"]), PAIRS), max_size=4))
def test_any_keys_and_values_are_a_manifest_or_an_error(parts):
    text = "\n".join(table(head, pairs) for head, pairs in parts)
    manifest = result_or_error(lambda: parsed(text), "M.toml")
    if manifest is not None:
        for track in manifest.tracks:
            TrackRequest(**track.request_options())


@examples(30)
@given(anything(FULL.encode(), RUNS.encode(), (TRACK + OTHER).encode()))
def test_any_bytes_are_a_manifest_or_an_error(data):
    Path("M.toml").write_bytes(data)
    manifest = result_or_error(lambda: read_manifest("M.toml"), "M.toml")
    if manifest is not None:
        assert manifest.tracks
        assert len({track.name for track in manifest.tracks}) == len(manifest.tracks)
        assert len({(track.series, track.year) for track in manifest.tracks}) == len(manifest.tracks)
