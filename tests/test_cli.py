"""The command line: formats, exit codes, whole files, the same bytes always."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from math import inf
from pathlib import Path

import click
import numpy as np
import pytest
from conftest import ROOT, SAMPLE, assert_refused, interruptible, only, rows_of, unix, write_scores

from biasvar_cli.cli import _LazyCommands
from biasvar_cli.cli import biasvar as program
from biasvar_cli.console.options import Number

pytestmark = pytest.mark.usefixtures("in_the_checkout")
COLUMNS = "measure,target,run,mean,bias,bias2,var,total,var_gap,total_gap"


def shell(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "biasvar_cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, cwd=ROOT, **options)  # type: ignore[call-overload]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return write_scores(tmp_path / "ap.csv", [[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]], "ABC", ["q1", "q2"])


def test_csv_has_the_fixed_columns_by_run_name(biasvar, scores):
    result = biasvar("decompose", scores, "-f", "csv")
    header, *rows = result.out.splitlines()
    assert header == COLUMNS
    assert [row[:10] for row in rows] == ["AP,best,A,", "AP,best,B,", "AP,best,C,"]
    assert biasvar("decompose", scores, "-f", "tsv").out == result.out.replace(",", "\t")


def test_json_has_the_fixed_keys(biasvar, scores):
    document = json.loads(biasvar("decompose", scores, "-f", "json").out)
    assert list(document) == ["version", "results", "warnings", "notices"]
    (result,) = document["results"]
    names = ["measure", "better", "target", "n_runs", "n_queries", "runs", "tradeoff", "reliability", "signature"]
    assert list(result) == names
    assert list(result["target"]) == ["kind", "label", "mean", "var", "n_pool"]
    assert list(result["runs"][0]) == COLUMNS.split(",")[2:]
    of_form = ["pearson", "spearman", "kendall", "null", "null_exchangeable"]
    assert {form: list(keys) for form, keys in result["tradeoff"].items()} == {"score": of_form, "gap": of_form}


def test_columns_of_options_follow_in_the_fixed_order(biasvar, scores):
    rows = rows_of(biasvar("decompose", scores, "-f", "csv", "--pareto", "--weights", "1,2", "--rank"))
    assert ",".join(rows[0]) == COLUMNS + ",rank,total_w,pareto"
    assert [(row["rank"], row["pareto"]) for row in rows] == [("1", "true"), ("2", "true"), ("3", "false")]
    assert float(rows[0]["total_w"]) == pytest.approx(float(rows[0]["bias2"]) + 2 * float(rows[0]["var"]))


def test_several_measures_and_targets_are_several_results(biasvar, tmp_path):
    path, cells = tmp_path / "long.csv", product((1, 2, 3), (1, 2), ("AP", "RR"))
    lines = (f"{run},{query},{measure},0.{run}{query}\n" for run, query, measure in cells)
    path.write_text("run,query_id,measure,score\n" + "".join(lines))
    arguments = ("decompose", path, "-m", "map", "-m", "RR", "--target", "best", "--target", "run:1")
    results = json.loads(biasvar(*arguments, "-f", "json").out)["results"]
    pairs = [("AP", "best"), ("AP", "run:1"), ("RR", "best"), ("RR", "run:1")]
    assert [(result["measure"], result["target"]["label"]) for result in results] == pairs
    rows = rows_of(biasvar(*arguments, "-f", "csv"))
    assert [(row["measure"], row["target"]) for row in rows] == [pair for pair in pairs for _ in range(3)]


def test_text_table_in_full(biasvar, scores):
    # By hand: the target is (.65, .1); A's gaps are (.35, 0), B's (.05, .02), C's (0, .07).
    assert biasvar("decompose", scores, "--top", "2", "--no-null").out == (
        "AP of 3 runs on 2 queries. Virtual target: the best score of each query over the runs, mean 0.3750\n"
        "\n"
        "Least total error: A (0.0406). Best mean: B and C (0.3400).\n"
        "Ranking by total reverses ranking by mean (Kendall's tau -0.82), because the runs differ more in\n"
        "  variance (standard deviation 0.0358) than in bias² (0.0139). Here variance rises with the mean\n"
        "  (Kendall's tau 0.82), so a low total need not mean a good run: --sort -mean ranks by mean.\n"
        "No verdict on a tradeoff without null models (--null): bias² and variance correlate with r = -0.95.\n"
        "  A negative r alone shows no tradeoff: bounded scores have a negative correlation of their own.\n"
        "\n"
        "run               mean    bias    bias²     var    total\n"
        "--------------  ------  ------  -------  ------  -------\n"
        "A               0.2000  0.1750   0.0306  0.0100   0.0406\n"
        "B               0.3400  0.0350   0.0012  0.0676   0.0688\n"
        "--------------  ------  ------  -------  ------  -------\n"
        "virtual target  0.3750  0.0000   0.0000  0.0756   0.0756\n"
        "\n"
        "bias: target mean - mean; var: variance over queries; total: bias² + var. Low scores have low var.\n"
        "Correlation of bias² and variance over 3 runs: Pearson -0.9458, Spearman -0.8660, Kendall -0.8165\n"
        "2 of 3 runs shown; every number is of all 3. Pareto front (no run has less of both): B, and 1 run\n"
        "  below the median mean (low scores vary little)\n"
        "More: --notes full, --form both (gaps), biasvar report\n"
    )


def test_a_small_number_that_is_not_zero_is_not_shown_as_zero(biasvar, scores):
    assert "  <.0001" in biasvar("decompose", scores, "--target", "mean:0.345").out


def test_markdown_and_latex_keep_hostile_names_text(biasvar, tmp_path):
    names = ["a|b", "c_d&e%", '=HYPERLINK("x")', "a--b", "$x$", "``q''", "p,,q"]
    path = write_scores(tmp_path / "ap.csv", np.arange(14).reshape(7, 2) / 14, names)
    markdown, latex = (biasvar("decompose", path, "-f", form).out for form in ("markdown", "latex"))
    assert "| a\\|b" in markdown
    assert "\\$x\\$" in markdown
    # two commas are a quotation mark with the fonts of T1
    for words in ("c\\_d\\&e\\%", "\\toprule", "bias$^2$", "a-{}-b", "`{}`q'{}'", "p,{},q"):
        assert words in latex
    assert all(line.startswith("%") or "\\" in line for line in latex.splitlines() if line)


def test_undefined_correlations_are_null_and_a_dash_with_the_reason(biasvar, tmp_path):
    path = write_scores(tmp_path / "ap.csv", [[0.3, 0.1], [0.6, 0.08]])
    result = only(biasvar("decompose", path, "-f", "json", "--no-null"))
    assert result["tradeoff"]["score"] == {"pearson": None, "spearman": None, "kendall": None}
    text = biasvar("decompose", path).out
    assert "Pearson" not in text
    assert "No correlation over 2 runs: at least 3 are needed" in text


def test_a_target_that_is_a_mean_alone_has_empty_gap_cells(biasvar, scores):
    arguments = ("decompose", scores, "--target", "mean:0.45")
    (first, *_) = rows_of(biasvar(*arguments, "-f", "csv"))
    assert (first["var_gap"], first["total_gap"]) == ("", "")
    assert only(biasvar(*arguments, "-f", "json"))["target"]["var"] is None
    assert "No gap form: the target is a mean alone" in biasvar(*arguments, "--form", "both").out


def test_sorting_is_by_any_column_either_way_and_cutting_changes_no_number(biasvar, scores):
    orders = {"var": "ABC", "-var": "CBA", "-mean": "BCA", "-run --top 2": "CB"}  # of equal means by name
    for options, expected in orders.items():
        rows = rows_of(biasvar("decompose", scores, "-f", "csv", *f"--sort {options}".split()))
        assert "".join(row["run"] for row in rows) == expected
    bad = biasvar("decompose", scores, "--sort", "vra")
    assert_refused(bad, 2, "there is no column vra; the columns are run, mean, bias")


def test_scores_in_trec_eval_s_layout(biasvar, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n2 0 a 1\n3 0 a 0\n")
    (tmp_path / "bm25").write_text("1 Q0 b 1 2 bm25\n1 Q0 x 2 1 bm25\n3 Q0 a 1 1 bm25\n")
    arguments = ("scores", tmp_path / "bm25", "-q", tmp_path / "qrels", "-m", "map", "-m", "num_ret", "-f", "trec_eval")
    values = {"1": ("0.5000", 2), "2": ("0.0000", 0), "3": ("0.0000", 1), "all": ("0.1667", 3)}
    lines = (f"{'map':22}\t{query}\t{ap}\n{'num_ret':22}\t{query}\t{n}\n" for query, (ap, n) in values.items())
    assert biasvar(*arguments).out == "".join(lines)


def test_scores_of_several_runs_have_no_trec_eval_layout(biasvar, scores):
    result = biasvar("scores", scores, "-f", "trec_eval")
    assert_refused(result, 2, "exactly one run, found 3: A, B, C")


def test_scores_as_leaderboards_of_autojudge_are_read_back(biasvar, scores, tmp_path):
    tot = biasvar("scores", scores, "-f", "tot").out
    assert tot.startswith("A\tAP\tq1\t0.3\nA\tAP\tq2\t0.1\n")
    for suffix in ("tot", "jsonl"):
        path = tmp_path / f"judge.{suffix}"
        assert biasvar("scores", scores, "-o", path).code == 0
        assert biasvar("scores", path, "--strict").out == biasvar("scores", scores).out
    assert path.read_text().startswith('{"run_id": "A", "topic_id": "q1", "measure": "AP", "value": 0.3}\n')
    (tmp_path / "blank.csv").write_text("AP,my run\nq1,0.5\n")
    assert_refused(biasvar("scores", tmp_path / "blank.csv", "-f", "tot"), 2, "no names with blanks, such as 'my run'")
    assert biasvar("scores", tmp_path / "blank.csv", "-f", "jsonl").code == 0
    (tmp_path / "count.tot").write_text("A\tNumRet\tq1\t3\nA\tNumRet\tq2\t4\n")
    assert biasvar("scores", tmp_path / "count.tot", "-f", "tot").out.endswith("A\tNumRet\tall\t7.0\n")
    (tmp_path / "x.csv").write_text("topic,A,B\nq1,0.5,0.25\n")
    assert_refused(biasvar("scores", tmp_path / "x.csv", "-f", "tot"), 2, "names its measure; name it with -m")


def test_scores_as_csv_and_as_a_matrix(biasvar, scores):
    assert biasvar("scores", scores).out.startswith("run,query_id,measure,score\nA,q1,AP,0.3\nA,q2,AP,0.1\n")
    assert biasvar("scores", scores, "-f", "matrix").out == scores.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "Path 'nowhere' does not exist"),
        ((*SAMPLE, "-m", "nDGC@20"), "unknown measure 'nDGC@20'; did you mean nDCG"),
        ((*SAMPLE, "--target", "bset"), "unknown target 'bset'"),
        ((*SAMPLE, "--target", "mean:high"), "expected a number after the colon, found 'high'"),
        ((*SAMPLE, "--weights", "1"), "'1' is not WB,WV"),
        ((*SAMPLE, "--weights=-1,1"), "--weights: expected numbers from 0 to 1e+100, found -1"),
        ((*SAMPLE, "--topics", "some"), "neither qrels, intersection or union, nor a file that exists"),
        (("-", "-q", "-"), "standard input (-) can be read only once"),
        ((*SAMPLE, "-f", "xml"), "'xml' is not one of"),
        ((*SAMPLE, "--jobs", "0"), "expected a whole number from 1 to 1024, found 0"),
        ((*SAMPLE, "--log", "floor", "--target", "mean:0.5"), "--log needs the target's score per query"),
        ((*SAMPLE, "-m", "NumRet", "--target", "perfect"), "--target perfect is not defined for NumRet"),
    ],
)
def test_wrong_usage_exits_2_with_nothing_on_stdout(biasvar, arguments, message):
    assert_refused(biasvar("decompose", *arguments), 2, message)


def test_a_target_from_a_file(biasvar, scores, tmp_path):
    target = tmp_path / "target.csv"
    target.write_text("query_id,supplier,score\nq2,B,0.2\nq1,A,0.7\nq9,C,1\n")
    result = biasvar("decompose", scores, "--target", f"file:{target}", "-f", "json")
    assert only(result)["target"]["mean"] == pytest.approx(0.45)
    assert [row["total_gap"] for row in only(result)["runs"]] == pytest.approx([0.0850, 0.0122, 0.0157])  # SIGIR'13
    assert "1 query outside" in result.err
    target.write_text("query_id,score\nq2,0.2\n")
    result = biasvar("decompose", scores, "--target", f"file:{target}")
    assert_refused(result, 1, f"biasvar: error: {target}: no score for 1 query: q1\n")


def test_the_pool_shapes_the_target_and_is_not_listed(biasvar, scores, tmp_path):
    pool = write_scores(tmp_path / "pool.csv", [0.7, 0.2], "T", ["q1", "q2"])
    found = only(biasvar("decompose", scores, "--pool", pool, "--pool", scores, "-f", "json"))
    assert [row["run"] for row in found["runs"]] == ["A", "B", "C"]
    assert (found["target"]["n_pool"], found["n_runs"]) == (4, 3)
    assert found["target"]["mean"] == pytest.approx(0.45)


def test_warnings_go_to_stderr_into_json_and_under_strict_into_the_exit_code(biasvar, tmp_path):
    path = write_scores(tmp_path / "ap.csv", [0.3, 0.1])
    message = "the pool is one run: the target equals r0, and its bias is 0"
    result = biasvar("decompose", path, "-f", "json")
    assert (result.code, json.loads(result.out)["warnings"]) == (0, [message])
    assert result.err == f"biasvar: warning: {message}\n"
    quiet = biasvar("decompose", path, "-f", "json", "--quiet")
    assert (quiet.out, quiet.err) == (result.out, "")
    assert_refused(biasvar("decompose", path, "--strict"), 1, "1 warning, and --strict allows none")


@unix
def test_an_output_file_is_whole_or_as_it_was(biasvar, scores, tmp_path):
    out = tmp_path / "out.csv"
    assert biasvar("decompose", scores, "-f", "csv", "-o", out) == (0, "", "")
    assert out.read_text() == biasvar("decompose", scores, "-f", "csv").out
    before = out.read_bytes()
    out.chmod(0o640)
    assert biasvar("decompose", scores, "--target", "run:none", "-o", out).code == 1
    assert out.read_bytes() == before
    assert biasvar("decompose", scores, "-o", out).code == 0
    assert out.stat().st_mode & 0o777 == 0o640
    nowhere = biasvar("decompose", scores, "-o", tmp_path / "no" / "out.csv")
    assert_refused(nowhere, 1, f"{tmp_path}/no/out.csv: cannot be written: No such file or directory\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ap.csv", "out.csv"]


def _being_read(fifo: Path, process: subprocess.Popen[bytes]) -> int:
    """A descriptor to write to a pipe, as soon as the process reads from it."""
    for _ in range(600):
        with contextlib.suppress(OSError):  # nobody reads yet
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        assert process.poll() is None, "it ended before it read"
        time.sleep(0.1)
    raise AssertionError(f"{fifo} is not read")


@unix
def test_interrupted_amid_many_runs_reads_none_of_the_others(tmp_path):
    """Every run is a pipe. Those under way are given an end; whoever opened another would wait for ever."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    pipes = [tmp_path / "runs" / f"run{number:02}" for number in range(20)]
    (tmp_path / "runs").mkdir()
    for path in pipes:
        os.mkfifo(path)
    arguments = ["decompose", *map(str, pipes), "-q", str(tmp_path / "qrels"), "--jobs", "2"]
    with subprocess.Popen(
        [sys.executable, "-m", "biasvar_cli", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
        start_new_session=True, preexec_fn=interruptible,
    ) as process:  # fmt: skip
        try:
            writers = [_being_read(path, process) for path in pipes[:2]]
            process.send_signal(signal.SIGINT)
            time.sleep(1)  # the signal arrives before the pipes are at their end
            for writer in writers:
                os.close(writer)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (130, b"", b"\nbiasvar: interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # nothing of its group is left


def test_same_bytes_whatever_jobs_hash_seed_locale_and_order_of_inputs():
    files = sorted(str(path) for path in Path(SAMPLE[0]).iterdir())[:8]
    shuffled = random.Random(1).sample(files, len(files))  # noqa: S311
    options = [*SAMPLE[1:], "-m", "AP", "-m", "ERR@20", "--target", "best", "--target", "ideal", "-f", "json"]
    options += ["--null-samples", "100"]
    first = shell("decompose", *files, *options, "--jobs", 1, env={**os.environ, "PYTHONHASHSEED": "1", "LC_ALL": "C"})
    assert first.returncode == 0, first.stderr
    other = {**os.environ, "PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8"}
    again = shell("decompose", *shuffled, *options, "--jobs", "7", env=other)
    assert (again.stdout, again.stderr) == (first.stdout, first.stderr)


def test_help_and_version_import_nothing_heavy():
    heavy = {"numpy", "pandas", "pyarrow", "ir_measures", "scipy", "tabulate", "pytrec_eval"}
    code = """if True:
        import sys
        from biasvar_cli.cli import main
        for words in sys.argv[1:]:
            main(words.split())
            print(words, *sorted(sys.modules), sep=",", file=sys.stderr)
    """
    asked = ["--version", "--help", "-h", "decompose --help", "decompose -h", "plot plane --help", "plot plane -h"]
    result = subprocess.run([sys.executable, "-c", code, *asked], capture_output=True, check=True, text=True, cwd=ROOT)
    assert result.stdout.count("Usage: biasvar ") == len(asked) - 1
    lines = [line.split(",") for line in result.stderr.splitlines()]
    assert [words for words, *_ in lines] == asked
    for words, *modules in lines:
        assert not heavy & {name.partition(".")[0] for name in modules}, words


def test_the_same_file_twice_counts_once(biasvar, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "bm25").write_text("1 Q0 a 1 1 bm25\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    one = tmp_path / "one"
    once = biasvar("decompose", one / "bm25", one, "--pool", one, "-q", tmp_path / "qrels", "-f", "csv")
    assert len(rows_of(once)) == 1


@pytest.mark.parametrize(
    ("topics", "expected"), [("qrels", (3, 0.5)), ("union", (2, 0.75)), ("intersection", (1, 1.0)), ("file", (2, 0.5))]
)
def test_topics_choose_the_queries(biasvar, tmp_path, topics, expected):
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n2 0 b 1\n3 0 a 1\n4 0 a 0\n")
    (tmp_path / "A").write_text("1 Q0 a 1 1 A\n2 Q0 a 1 1 A\n9 Q0 a 1 1 A\n")
    (tmp_path / "B").write_text("1 Q0 a 1 1 B\n")
    if topics == "file":
        topics = tmp_path / "topics"
        topics.write_text("# the hard ones\n1\n3\n")
    words = ("-q", tmp_path / "qrels", "--topics", topics, "-f", "json")
    found = only(biasvar("decompose", tmp_path / "A", tmp_path / "B", *words))
    assert (found["n_queries"], found["runs"][0]["mean"]) == pytest.approx(expected)


def test_a_key_that_the_module_of_a_command_lacks_is_no_unknown_command(monkeypatch):
    monkeypatch.setattr("biasvar_cli.cli.import_module", lambda name: {}[name])
    commands = _LazyCommands({"risk": "analyses.risk.command:risk"})
    assert commands.get("rsik") is None
    with pytest.raises(KeyError, match=r"analyses\.risk\.command"):
        commands.get("risk")


def test_qrels_restrict_score_files_whatever_their_measure(biasvar, tmp_path):
    path = tmp_path / "unknown.csv"
    path.write_text("run,query_id,measure,score\n" + "".join(f"A,{q},D#-nDCG@10,0.{q}\n" for q in (1, 2, 3)))
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 a 1\n2 1 a 9\n")
    for measure in ((), ("-m", "D#-nDCG@10")):
        result = biasvar("decompose", path, "-q", tmp_path / "qrels", *measure, "-f", "json")
        assert (only(result)["n_queries"], only(result)["runs"][0]["mean"]) == (2, pytest.approx(0.15))
        assert "queries outside the evaluated ones left out: in A (1 query)" in result.err
    assert_refused(biasvar("decompose", path, "-q", path), 1)


def test_measures_of_score_files_are_not_computed_and_so_need_nothing(biasvar, tmp_path):
    path = tmp_path / "A.csv"
    path.write_text("run,query_id,measure,score\nA,1,ERR@20,0.5\nA,1,INSQ(max_rel=4),0.25\n")
    (tmp_path / "qrels").write_text("1 0 a 7\n")
    for measure, mean in (("ERR@20", 0.5), ("INSQ(max_rel=4)", 0.25)):
        result = biasvar("decompose", path, "-q", tmp_path / "qrels", "-m", measure, "-f", "json")
        assert only(result)["runs"][0]["mean"] == mean


def test_rounding_alone_is_shown_as_zero(biasvar, tmp_path):
    path = write_scores(tmp_path / "ap.csv", [[0.7, 0.2], [0.1, 0.3]])
    (first, *_) = rows_of(biasvar("decompose", path, "--target", "mean:0.45", "-f", "csv"))
    assert (first["bias"], first["bias2"]) == ("0.0", "0.0")


def test_decompose_does_without_modules_that_are_slow_to_import():
    code = "import sys; from biasvar_cli.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", code, "decompose", *SAMPLE]
    result = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT)
    unused = {"pandas", "scipy", "pyarrow.compute"}
    unused |= set() if np.__version__ < "2" else {"numpy.ma"}  # numpy 1 loads it
    assert not unused & set(result.stderr.split())


def test_every_number_that_can_be_typed_has_an_upper_end_that_the_refusal_names():
    for name, option in options():
        if isinstance(option.type, Number) and option.type.limits.most < inf:
            limits = option.type.limits
            with pytest.raises(click.BadParameter, match=re.escape(f" {limits.words}, found ")):
                option.type.convert("9" * 400 if option.type.whole else "1e300", option, None)
        assert not isinstance(option.type, click.types.IntParamType | click.types.FloatParamType), name


def test_every_option_has_its_help_and_no_two_of_a_command_share_a_name():
    """A group of options takes its parameters by name: two of one name would be one value."""
    assert all(option.param_type_name == "argument" or option.help for _, option in options())
    for command in commands().values():
        typed = [word for option in command.params for word in (*option.opts, *option.secondary_opts)]
        assert len(typed) == len(set(typed)), command.name
        assert len(command.params) == len({option.name for option in command.params}), command.name


def commands() -> dict[str, click.Command]:
    return {**program.commands, **program.commands["plot"].commands}


def options() -> Iterator[tuple[str, click.Parameter]]:
    for name, command in commands().items():
        yield from ((name, option) for option in command.params)
