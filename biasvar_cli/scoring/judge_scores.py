"""The scores that several judges have written: which files are whose, and which measure stands for the reference's.

TREC AutoJudge has a file of each judge, whose measures have names of its own, or files ``RUN.JUDGE`` of all of them in
one folder (trec-auto-judge, "TREC Data Anonymization").
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from biasvar_cli.errors import BiasVarError, DataError, DataErrors, UsageError
from biasvar_cli.measures import matching
from biasvar_cli.measures.catalogue import names_in
from biasvar_cli.readers.listing import ALL, Selection, expand
from biasvar_cli.readers.score_formats import SCORE_FORMATS, parse_scores, recognise
from biasvar_cli.readers.sources import is_data_set, is_folder, read_bytes, run_name
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.alignment import OtherMeasures
from biasvar_cli.scoring.labels import common_ending
from biasvar_cli.scoring.track import Track
from biasvar_cli.specs.machine import files_and_measure
from biasvar_cli.words import RunName, argument, as_typed, either, examples, in_python, shell_word

_SUFFIX = re.compile(r"\.[A-Za-z]\w*$")


class JudgeFiles(NamedTuple):
    """The files of a judge, and which measure in them stands for that of the reference, None where nothing says so.

    ``typed`` are the files as somebody typed them, in one word, empty where it takes several.
    """

    paths: tuple[str, ...]
    measure: str | None = None
    typed: str = ""


def judge_name(path: str) -> str:
    """What a judge is called: the name of its file without the suffix.

    >>> judge_name("qrels/gpt-4.1.txt.gz"), judge_name("llama3.2-pass1"), judge_name("irds:vaswani")
    ('gpt-4.1', 'llama3.2-pass1', 'irds:vaswani')
    """
    if is_data_set(path):
        return path
    name = run_name(path.rstrip("/"))
    return _SUFFIX.sub("", name) or name


def judge_files(inputs: Sequence[str]) -> dict[str, JudgeFiles]:
    """The files of each judge, by name: each of the inputs, or of files RUN.JUDGE of one run those with one ending.

    An input may be FILE:MEASURE, and FILE a pattern. Raises `DataError` for two judges of one name.
    """
    by_ending = files_by_ending(inputs)
    if by_ending and _has_one_run(inputs[0]):
        return {name: JudgeFiles(tuple(paths)) for name, paths in by_ending.items()}
    judges: dict[str, JudgeFiles] = {}
    for text in inputs:
        paths, measure = files_and_measure(text)
        typed = text.removesuffix(f":{measure}") if measure else text
        base = typed.rpartition("/")[2]
        name = base.removeprefix("*.") if base.startswith("*.") else judge_name(typed)
        if name in judges:
            raise DataError(f"two judges would be called {name}; give one of the inputs another name", path=typed)
        judges[name] = JudgeFiles(tuple(paths), measure, typed)
    return judges


def _has_one_run(path: str) -> bool:
    """Whether a file has scores of one run alone; what is wrong with it is found later."""
    with suppress(DataError):
        data = read_bytes(path)
        kind = recognise(data)
        return kind in SCORE_FORMATS and len(parse_scores(data, path, str(kind)).runs) == 1
    return False


def files_by_ending(paths: Sequence[str]) -> dict[str, list[str]]:
    """The files RUN.JUDGE by judge, in their order, where two judges or more have the same runs; else none.

    Names of runs and of judges may have full stops.

    >>> files_by_ending(["a.v1.nist", "b.nist", "a.v1.gpt-4.1", "b.gpt-4.1"])
    {'nist': ['a.v1.nist', 'b.nist'], 'gpt-4.1': ['a.v1.gpt-4.1', 'b.gpt-4.1']}
    >>> files_by_ending(["a.nist", "b.gpt"]), files_by_ending(["human.tot", "model.tot"])
    ({}, {})
    """
    names = {path: run_name(path) for path in paths}
    first = next(iter(names.values()), "")
    for stop in reversed([match.start() for match in re.finditer(r"(?<=.)\.", first)]):
        endings = [name[stop:] for name in names.values() if name.startswith(f"{first[:stop]}.")]
        groups: dict[str, dict[str, str]] = {ending: {} for ending in endings}
        for path, name in names.items():
            ending = max((end for end in endings if name.endswith(end) and name != end), key=len, default="")
            groups.setdefault(ending, {})[name.removesuffix(ending)] = path
        runs = {frozenset(group) for group in groups.values()}
        if len(groups) > 1 and "" not in groups and len(runs) == 1 and len(next(iter(runs))) > 1:
            return {ending[1:]: list(group.values()) for ending, group in groups.items()}
    return {}


def endings_in(folder: str, selection: Selection = ALL) -> list[str]:
    """The judges in a folder of files RUN.JUDGE; none in any other, and of a file."""
    return [*files_by_ending([source.path for source in expand([folder], selection)])] if is_folder(folder) else []


def tracks_of_judges(
    judges: Mapping[str, JudgeFiles],
    measures: Sequence[str],
    load: Callable[[str, tuple[str, ...]], Track],
) -> tuple[dict[str, Track], list[str]]:
    """The scores under each judge, with the reference's names of measures and of runs, and what stands for what.

    ``load`` takes a judge and its measures. Each of ``measures`` is a name, or REFERENCE=JUDGE, the name in the
    reference, the first judge, and that in the others. Raises what ``load`` raises, `DataError` for a judge without the
    reference's measure, and for one of which less is better where more is in the reference.
    """
    pairs = [pair for text in measures for pair in _pairs(text)]
    tracks: dict[str, Track] = {}
    remarks: list[str] = []
    for name, files in judges.items():
        typed = (files.measure,) if files.measure else tuple(pair[bool(tracks)] for pair in pairs)
        try:
            track = load(name, typed)
        except (DataError, DataErrors) as error:
            raise _with_remedy(error, files, measures, list(tracks.values())[:1]) from None
        if tracks:
            reference = next(iter(tracks.items()))
            track, stands = _under_the_names_of(*reference, name, track, pairs, files)
            remarks += stands
        tracks[name] = track
    return _with_common_runs(tracks), remarks


def _pairs(text: str) -> list[tuple[str, str]]:
    """The names in the reference and in the other judges that an argument asks for.

    >>> _pairs("coverage=GRADE"), _pairs("a=b c=d"), _pairs("nDCG(dcg='exp-log2')@10"), _pairs("AP P@5")
    ([('coverage', 'GRADE')], [('a', 'b'), ('c', 'd')], [("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10")], \
[('AP P@5', 'AP P@5')])
    """
    words = names_in(text)
    signs = [_equals_sign(word) for word in words]
    if not any(signs):
        return [(text, text)]
    parts = words if all(signs) else [text]
    return [(part[:at].strip(), part[at + 1 :].strip()) for part in parts if (at := _equals_sign(part))]


def _equals_sign(text: str) -> int:
    """Where the first equals sign is that is in no brackets and has something on both sides; 0 without one."""
    signs = (at for at, sign in enumerate(text) if sign == "=" and 0 < at < len(text) - 1)
    return next((at for at in signs if text[:at].count("(") == text[:at].count(")")), 0)


def _with_remedy(
    error: DataError | DataErrors, files: JudgeFiles, measures: Sequence[str], reference: Sequence[Track]
) -> BiasVarError:
    """The error of a judge with other measures than the reference, with what makes it comparable."""
    faults = error.errors if isinstance(error, DataErrors) else [error]
    fault = next((fault for fault in faults if isinstance(fault, OtherMeasures)), None)
    names = _measures_of(reference[0]) if reference else [pair[0] for text in measures for pair in _pairs(text)]
    if fault is None or len(names) != 1 or not fault.known or files.measure:
        return error
    name, is_paired = names[0], any(map(_equals_sign, measures))
    known = name if name in fault.known else fault.known[0]
    if not reference:  # whose measures the judges may call otherwise
        if not measures or is_paired:
            return error
        return DataError(f"{fault.what}; if the others call it {name}, give {_typed(known, name)}", path=fault.path)
    if known == name and not is_paired:
        return error
    what = f"has no {fault.missing or name}; it has {examples(fault.known, 8)}"
    if is_paired and files.typed:
        return DataError(f"{what}; write {shell_word(f'{files.typed}:{known}')} for it", path=fault.path)
    return DataError(f"{what}; {_typed(name, known)} compares {known} with it", path=fault.path)


def _typed(reference: str, judge: str) -> str:
    pair = f"{reference}={judge}"
    return either(as_typed(argument(measure=shell_word(pair))), in_python(argument(measure=pair)))


def _measures_of(track: Track) -> list[str]:
    return [str(scored.scores.measure) for scored in track.scored if scored.scores.measure is not None]


def _under_the_names_of(
    first: str, reference: Track, name: str, track: Track, pairs: Sequence[tuple[str, str]], files: JudgeFiles
) -> tuple[Track, list[str]]:
    """The scores under a judge by the reference's names of measures, in its order, and which measure stands for which.

    As they are where both have the same measures, or one does not say which it has.
    """
    wanted, known = _measures_of(reference), _measures_of(track)
    if wanted == known or not wanted or not known:
        return track, []
    if files.measure and len(wanted) > 1:
        what = f"{files.typed}:{files.measure} is one measure, and {first} has {', '.join(wanted)}"
        raise UsageError(f"{what}; choose one with {argument('measure')}")
    stands = {wanted[0]: files.measure} if files.measure else {matching(one, wanted) or one: two for one, two in pairs}
    if not files.measure and not any(one != two for one, two in pairs):
        what = f"the scores of {first} are of {', '.join(wanted)}, those of {name} of {', '.join(known)}"
        raise DataError(f"{what}; {_typed(wanted[0], known[0])} compares these")
    by_name = {str(scored.scores.measure): scored for scored in track.scored}
    renamed, remarks = [], []
    for measure, scored in zip(wanted, reference.scored, strict=True):
        counterpart = matching(stands.get(measure, measure), known) or measure
        judged = by_name[counterpart]
        if judged.scores.better != scored.scores.better:
            what = f"less is better for one of {measure} of {first} and {counterpart} of {name}, and more for the other"
            raise DataError(f"{what}; choose measures that agree in it")
        renamed.append(judged.map(partial(replace, measure=measure)))
        remarks += [f"compared with {measure} of {first}: {counterpart} of {name}"] if counterpart != measure else []
    return replace(track, scored=tuple(renamed)), remarks


def _with_common_runs(tracks: Mapping[str, Track]) -> dict[str, Track]:
    """The tracks, without the endings of names of runs where otherwise no run is in all of them: A.nist and A.gpt-4."""
    runs = {name: [f"{run!s}" for run in track.scored[0].pool.runs] for name, track in tracks.items()}
    endings = {name: common_ending(of) for name, of in runs.items()}
    bare = [{run.removesuffix(endings[name]) for run in of} for name, of in runs.items()]
    if set.intersection(*map(set, runs.values())) or not set.intersection(*bare):
        return dict(tracks)

    def without(ending: str) -> Callable[[ScoreMatrix], ScoreMatrix]:
        return lambda matrix: replace(matrix, runs=tuple(_shortened(run, ending) for run in matrix.runs))

    return {name: track.map(without(endings[name])) for name, track in tracks.items()}


def _shortened(run: str, ending: str) -> str:
    short = f"{run!s}".removesuffix(ending)
    if not isinstance(run, RunName):
        return short
    return RunName(short, run.label.removesuffix(ending), renamed=run.renamed, highlighted=run.highlighted)
