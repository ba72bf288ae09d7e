"""Figures of ``biasvar plot``, drawn beforehand for the page; the modules of the analyses declare what they show.

A converter, an extra to install, draws the figures for a telephone while the analyses go on, and the plane, which has
more names where there is more room, for a wider window too. Marks have the name of their run, which the script needs to
choose runs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from typing import NamedTuple, Self

from markupsafe import Markup

from biasvar_cli.drawing import converter
from biasvar_cli.drawing.export import caption_of, drawn
from biasvar_cli.drawing.style import COLUMNS, Rows, Spec, Style, Theme, cleaned
from biasvar_cli.errors import BiasVarError, needs_extra, notice
from biasvar_cli.page.svg import Looks, for_page
from biasvar_cli.words import as_typed

_NARROW = COLUMNS["one"]  # points; a telephone of 360 pixels shows 240 points
_BOTH = {"narrow": _NARROW, "broad": 408.0}
_SINGLE = {"single": _NARROW}
_MARKS = {"point", "bar", "rule", "text"}  # marks that can stand for a run
Figure = Callable[[Style], Spec]


class _PageStyle(Style):
    """A style whose colours are placeholders, which `svg` replaces by variables of the style sheet."""

    @property
    def colours(self) -> Theme:
        return _PLACEHOLDERS


def _placeholder(number: int) -> str:
    return f"#fe{number:04x}"


_NAMES = ("back", "text", "grey", "faint", "dark-fill", "light-fill", "loss", "highlight", *(f"c{n}" for n in range(8)))
_COLOURS = {name: _placeholder(number) for number, name in enumerate(_NAMES)}
_VARIABLES = {colour: f"var(--{name})" for name, colour in _COLOURS.items()}
_PLACEHOLDERS = Theme(
    background=_COLOURS["back"],
    text=_COLOURS["text"],
    grey=_COLOURS["grey"],
    faint=_COLOURS["faint"],
    series=tuple(_COLOURS[f"c{number}"] for number in range(8)),
    dark_fill=_COLOURS["dark-fill"],
    light_fill=_COLOURS["light-fill"],
    ramp=(),
    below=_COLOURS["loss"],
    highlight=_COLOURS["highlight"],
)


class Picture(NamedTuple):
    """A figure; ``key`` is its entry in a list of figures, and ``caption`` describes it.

    `svgs` are its drawings, one for each width. A figure that cannot be drawn has none, and its caption says why.
    """

    key: str
    caption: str
    futures: Sequence[Future[Markup]] = ()

    @property
    def svgs(self) -> list[Markup]:
        """The drawings, the narrow one first."""
        return [future.result() for future in self.futures]


UNDRAWN = "The figures are left out, as their converter is not installed: it is the extra plot of biasvar-cli"


class Pictures:
    """Draws the figures of a page in the background; leaving the ``with`` statement waits for them.

    ``names`` are the runs of the page. Without a converter there are no figures, and a notice says so.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {cleaned(name): place for place, name in enumerate(names)}
        self._pool = ThreadPoolExecutor(1)
        self.can_draw = find_spec("vl_convert") is not None
        if self.can_draw:
            converter.start_early()
        else:
            notice(f"{UNDRAWN}; {needs_extra('drawing them', 'plot')}")
        self._converter = converter.Converter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown()
        self._converter.close()

    def of(self, name: str, label: str, figures: Mapping[str, Figure], *, both: bool = False) -> list[Picture]:
        """The pictures of some figures, which share a place on the page and a label; ``name`` begins their ids.

        With ``both`` they are drawn for a wider window too.
        """
        if not self.can_draw:
            return []
        widths = _BOTH if both else _SINGLE
        return [self._picture(f"{name}-{key}", label, key, figure, widths) for key, figure in figures.items()]

    def _picture(self, name: str, label: str, key: str, figure: Figure, widths: Mapping[str, float]) -> Picture:
        try:
            specs = {kind: figure(_PageStyle(width=width, titled=False)) for kind, width in widths.items()}
        except BiasVarError as error:
            return Picture(key, _sentence(error))
        futures = []
        for kind, spec in specs.items():
            looks = Looks(label=label, key=f"{name}-{kind}", colours=_VARIABLES, places=self._places)
            futures.append(self._pool.submit(self._drawn, _described(spec), kind, looks))
        return Picture(key, caption_of(spec), futures)

    def _drawn(self, spec: Spec, kind: str, looks: Looks) -> Markup:
        try:
            return for_page(drawn(spec, self._converter), kind, looks)
        except BiasVarError as error:
            reason = _sentence(error)
        except (ImportError, MemoryError):
            reason = "The figure cannot be drawn: its converter cannot be loaded here."
        return Markup('<p class="caption {}">{}</p>').format(kind, reason)


def _sentence(error: BiasVarError) -> str:
    """An error as a sentence on the page."""
    text = as_typed(str(error))
    return f"{text[0].upper()}{text[1:]}."


def _described(plot: Spec, datasets: Mapping[str, Rows] | None = None) -> Spec:
    """The figure with the name of the run as description of each mark of a run; text with edges is drawn once."""
    datasets = plot.get("datasets", {}) if datasets is None else datasets
    for views in {"hconcat", "vconcat"} & plot.keys():
        plot = {**plot, views: [_described(view, datasets) for view in plot[views]]}
    if "layer" not in plot:
        return plot
    return {**plot, "layer": [_described_layer(layer, datasets) for layer in _with_edges(plot["layer"])]}


def _with_edges(layers: Sequence[Spec]) -> Iterator[Spec]:
    """The layers, with one text in place of two equal ones, of which the first draws only the edges of the letters."""
    edges: Spec = {}
    for layer in layers:
        if "strokeJoin" in layer["mark"]:
            edges = {name: layer["mark"][name] for name in ("stroke", "strokeWidth", "strokeJoin")}
        else:
            yield {**layer, "mark": {**layer["mark"], **edges}}
            edges = {}


def _described_layer(layer: Spec, datasets: Mapping[str, Rows]) -> Spec:
    """The layer, with descriptions if its marks stand for runs; rings and marks without ``aria`` have none."""
    mark, rows = layer["mark"], datasets.get(layer.get("data", {}).get("name", ""), [])
    if mark["type"] not in _MARKS or "run" not in (rows or [{}])[0]:
        return layer
    if not mark.get("aria", True) or (mark["type"] == "point" and not mark.get("filled")):
        return layer
    return {**layer, "encoding": {**layer["encoding"], "description": {"field": "run"}}}
