"""What happens where ``ulimit -v`` limits the addresses of the program."""

import subprocess
import sys

import pytest
from conftest import ROOT, SAMPLE

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's limits")


def limited(kilobytes, *arguments):
    """The program under a limit, in the checkout."""
    script = f'ulimit -c 0; ulimit -v {kilobytes}; exec "$@"'
    command = ["bash", "-c", script, "bash", sys.executable, "-m", "biasvar_cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)


@pytest.mark.long
@pytest.mark.parametrize("kilobytes", [200_000, 700_000])
def test_a_figure_under_a_limit_is_an_error_in_words(tmp_path, kilobytes):
    done = limited(kilobytes, "plot", "plane", *SAMPLE, "-o", tmp_path / "plane.svg")
    assert done.returncode == 1, done.stderr
    assert "memory" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_a_page_under_a_limit_is_written_or_is_an_error_in_words(tmp_path):
    done = limited(450_000, "report", *SAMPLE, "--null-samples", "100", "-o", tmp_path / "page.html")
    assert done.returncode in (0, 1), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ([] if done.returncode else ["page.html"])
    assert done.stderr == "" or "memory" in done.stderr


@pytest.mark.parametrize(
    ("end", "code", "message"),
    [
        ("os.abort()", 1, "SIGABRT"),
        ("os._exit(127)", 1, "ulimit -v"),
        ("os._exit(2)", 2, ""),
        ("os.kill(os.getpid(), signal.SIGTERM)", -15, ""),
    ],
)
def test_a_library_that_ends_the_program_is_an_error_in_words(end, code, message):
    lines = f"import os, signal, sys\nfrom biasvar_cli.console.limits import watched\nsys.exit(watched(lambda: {end}))"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == code
    assert message in done.stderr if message else done.stderr == ""
