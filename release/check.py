"""Whether the release can be built, holds what it should, and works where it is installed: ``make release-check``.

The source distribution and the wheel are built from the files that git tracks, so nothing that lies beside them gets
in. The wheel is then installed into a new environment and run in another folder, on a copy of the sample track.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
MADE = ("PKG-INFO", "setup.cfg", "biasvar_cli.egg-info/")  # what setuptools adds to a source distribution
METADATA = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt")
OF_DEVELOPERS = ("jsconfig.json",)  # within the package, and not installed


def main(words: Sequence[str] | None = None) -> int:
    """Build and check; the exit code is 1 where something is wrong."""
    parser = argparse.ArgumentParser(description="Build the release, check and install it, and run it elsewhere.")
    parser.add_argument("folder", nargs="?", type=Path, help="where the checked files go; by default they are removed")
    parser.add_argument("-c", "--constraints", type=Path, help="a file of the versions that are installed beside it")
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="biasvar-release-") as name:
        scratch = Path(name)
        tracked = _tracked()
        checkout = _copy(tracked, scratch / "checkout")
        sdist, wheel = sorted(_build(checkout, scratch / "dist"), key=lambda path: path.suffix)
        (direct,) = _build(checkout, scratch / "direct", "--wheel")
        faults = [
            *differences("the source distribution", sdist_contents(sdist), tracked),
            *differences("the wheel", wheel_contents(wheel), expected_in_wheel(tracked, wheel.name)),
            *differences_of_bytes(wheel_contents(direct), wheel_contents(wheel)),
        ]
        if faults:
            print("\n".join(faults), file=sys.stderr)
            return 1
        _run([sys.executable, "-m", "twine", "check", "--strict", sdist, wheel])
        run_elsewhere(wheel, scratch / "environment", scratch / "elsewhere", arguments.constraints)
        if arguments.folder is not None:
            arguments.folder.mkdir(parents=True, exist_ok=True)
            for path in (sdist, wheel):
                shutil.copy(path, arguments.folder)
        print(f"{sdist.name} and {wheel.name}: built, checked, installed and run")
    return 0


def _tracked() -> list[str]:
    """The files that git tracks and that are there, with slashes, relative to the checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return sorted(name for name in listed.decode().split("\0") if name and (ROOT / name).is_file())


def _copy(names: Sequence[str], folder: Path) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def _build(source: Path, folder: Path, *options: str) -> list[Path]:
    """The files that are built: without options the source distribution, and the wheel that is built from it."""
    _run([sys.executable, "-m", "build", *options, "--outdir", folder, source], quiet=True)
    return list(folder.iterdir())


def sdist_contents(path: Path) -> list[str]:
    """The names of the files in a source distribution, without its folder and without what setuptools adds."""
    with tarfile.open(path) as archive:
        names = [member.name.partition("/")[2] for member in archive if member.isfile()]
    return [name for name in names if not name.startswith(MADE)]


def wheel_contents(path: Path) -> dict[str, bytes]:
    """The files in a wheel."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def expected_in_wheel(tracked: Collection[str], wheel: str) -> list[str]:
    """The package without what only developers need, and the metadata: no tests, no samples, no benchmarks.

    >>> expected_in_wheel(["biasvar_cli/cli.py", "tests/test_cli.py"], "biasvar_cli-0.1.0-py3-none-any.whl")[:2]
    ['biasvar_cli/cli.py', 'biasvar_cli-0.1.0.dist-info/METADATA']
    """
    package = [name for name in tracked if name.startswith("biasvar_cli/") and not name.endswith(OF_DEVELOPERS)]
    metadata = f"{'-'.join(wheel.split('-')[:2])}.dist-info"
    return [*package, *(f"{metadata}/{name}" for name in METADATA)]


def differences(what: str, names: Collection[str], expected: Collection[str]) -> list[str]:
    """A sentence for each name that is missing, and for each that should not be there.

    >>> differences("the wheel", ["a.py", "tests/b.py"], ["a.py", "py.typed"])
    ['the wheel lacks py.typed', 'the wheel should not have tests/b.py']
    """
    missing, surplus = sorted(set(expected) - set(names)), sorted(set(names) - set(expected))
    return [f"{what} lacks {name}" for name in missing] + [f"{what} should not have {name}" for name in surplus]


def differences_of_bytes(wheel: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[str]:
    """How the wheel of the source distribution differs from that of the checkout.

    >>> differences_of_bytes({"a.py": b"1"}, {"a.py": b"2"})
    ['the wheel built from the source distribution has other bytes in a.py']
    """
    name = "the wheel built from the source distribution"
    changed = sorted(path for path in wheel.keys() & other.keys() if wheel[path] != other[path])
    return [*differences(name, other, wheel), *(f"{name} has other bytes in {path}" for path in changed)]


def run_elsewhere(wheel: Path, environment: Path, folder: Path, constraints: Path | None) -> None:
    """Install the wheel into a new environment, and run it in a folder that knows nothing of the checkout.

    Raises `RuntimeError` for a command that fails or does not write what it should.
    """
    _run([sys.executable, "-m", "venv", environment])
    python = environment / PROGRAMS / "python"
    pinned = () if constraints is None else ("-c", constraints.resolve())
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([python, *pip, *pinned, f"{wheel}[plot]"], folder=wheel.parent)
    runs = folder / "runs"
    shutil.copytree(ROOT / "sample_runs", runs)
    shutil.copy(ROOT / "qrels" / "npl.qrels.txt", folder / "qrels.txt")
    biasvar, track = environment / PROGRAMS / "biasvar", ("runs", "-q", "qrels.txt", "--quiet")
    place = _run([python, "-c", "import biasvar_cli; print(biasvar_cli.__file__)"], folder=folder)
    _expect(Path(place.strip()).is_relative_to(environment), f"the program is imported from {place.strip()}")
    version = _run([biasvar, "--version"], folder=folder).split()[-1]
    _expect(version == wheel.name.split("-")[1], f"--version says {version}, and the wheel is {wheel.name}")
    table = list(csv.DictReader(io.StringIO(_run([biasvar, "decompose", *track, "-f", "csv"], folder=folder))))
    names = {path.name.removesuffix(".gz") for path in runs.iterdir()}
    _expect({row["run"] for row in table} == names, "decompose does not have a row for each run")
    _run([biasvar, "report", *track, "-o", "track.html"], folder=folder)
    _run([biasvar, "plot", "plane", *track, "-o", "plane.svg"], folder=folder)
    _expect("</html>" in (folder / "track.html").read_text("utf-8"), "report wrote no page")
    _expect("</svg>" in (folder / "plane.svg").read_text("utf-8"), "plot plane wrote no figure")


def _expect(condition: bool, otherwise: str) -> None:
    if not condition:
        raise RuntimeError(otherwise)


def _run(command: Sequence[str | Path], *, folder: Path | None = None, quiet: bool = False) -> str:
    """What a command prints. Raises `RuntimeError` with all of its output where it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    environment |= {"PYTHONUTF8": "1"}
    result = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if result.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    if result.stderr and not quiet:
        print(result.stderr, end="", file=sys.stderr)
    return result.stdout


if __name__ == "__main__":
    sys.exit(main())
