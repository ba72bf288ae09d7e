"""The short and the long help of a command, the advice below errors of usage, and the glossary.

``-h`` prints one screen with the options that most people need, ``--help`` prints all options, and ``biasvar --words``
prints the glossary, from which docs/glossary.md is made.
"""

import inspect
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click

from biasvar_cli.console.terminal import Session
from biasvar_cli.errors import MissingQrels, UsageError
from biasvar_cli.words import listed, printable, shell_word

_WIDTH, _EXAMPLES = 80, 2
_FIRST_SENTENCE = re.compile(r".*?\.(?=\s|$)", re.DOTALL)


def printing(text: Callable[[click.Context], str]) -> Callable[[click.Context, click.Parameter, bool], None]:
    """The callback of an option that prints a text and exits."""

    def show(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            click.echo(text(context))
            context.exit()

    return show


class Helped(click.Command):
    """A command with a short help, ``-h``, besides the long one."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters of the command, ``-h``, and ``--help``, which click adds."""
        *parameters, long_help = super().get_params(ctx)
        return [*parameters, _SHORT, long_help]

    def format_usual(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of the short help: the options that most people use, or the commands of a group."""


class HelpedGroup(Helped, click.Group):
    """A group whose short help is shown where no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the short help and exit with 2."""
        if not args and not ctx.resilient_parsing:
            click.echo(_short_help(ctx), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)


def _short_help(context: click.Context) -> str:
    """The short help of a command: usage, summary, two examples, the usual options, and the way to the long help."""
    command, path = context.command, context.command_path
    formatter = context.make_formatter()
    formatter.width = min(_WIDTH, context.terminal_width or shutil.get_terminal_size().columns)
    command.format_usage(context, formatter)
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(first_sentence(inspect.cleandoc(command.help or "")))
    formatter.write_paragraph()
    for example in examples(command.help or "")[:_EXAMPLES]:
        formatter.write("".join(f"  {line}\n" for line in broken(example, formatter.width - 2)))
    if isinstance(command, Helped):
        command.format_usual(context, formatter)
    formatter.write_paragraph()
    if isinstance(command, click.Group):
        what = (command.subcommand_metavar or "COMMAND").split()[0]
        formatter.write(f"For one {what.lower()}: {path} {what} -h, or --help for all of its options\n")
    else:
        formatter.write(f"All options: {path} --help\n")
    return formatter.getvalue().rstrip("\n")


_SHORT = click.Option(
    ["-h", "short_help"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=printing(_short_help),
    help="Show the short help, with the options that most people use, and exit.",
)


def first_sentence(text: str) -> str:
    """The first sentence of a text.

    >>> first_sentence("Measure, such as P.5,10. Default: AP.")
    'Measure, such as P.5,10.'
    """
    sentence = _FIRST_SENTENCE.match(text)
    return text if sentence is None else sentence[0]


def examples(text: str) -> list[str]:
    """The lines of a help that are commands.

    >>> examples("Scores of runs.\\n\\n    biasvar check runs\\n    biasvar scores runs -q qrels\\n")
    ['biasvar check runs', 'biasvar scores runs -q qrels']
    """
    return [line.strip() for line in text.splitlines() if line.strip().startswith("biasvar ")]


def broken(command: str, width: int) -> Sequence[str]:
    """A command broken before options into lines of at most ``width`` columns, which a shell reads as one command.

    >>> for line in broken("biasvar check runs -q qrels", 25):
    ...     print(line)
    biasvar check runs \\
        -q qrels
    """
    if len(command) <= width:
        return [command]
    lines: list[str] = []
    for part in re.split(" (?=-)", command):
        if lines and len(lines[-1]) + 1 + len(part) <= width - 2:
            lines[-1] += f" {part}"
        else:
            lines.append(f"    {part}" if lines else part)
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


class _Refusal(click.UsageError):
    """A `UsageError` of a request or the data as an error of click, with the context of the command."""

    def __init__(self, error: UsageError, context: click.Context) -> None:
        super().__init__(error.typed, context)
        self.error = error


@contextmanager
def refusals(context: click.Context) -> Iterator[None]:
    """Turn a `UsageError` into a `_Refusal` of the command, and give errors of click's parser its context."""
    try:
        yield
    except UsageError as error:
        raise _Refusal(error, context) from None
    except click.UsageError as error:
        error.ctx = error.ctx or context
        raise


def messages(error: click.ClickException) -> list[str]:
    """The message of an error, a line for each fault, in the style of our own: no capital, no full stop.

    >>> messages(click.NoSuchOption("--tpo", possibilities=["--top", "--sort"]))
    ["no such option '--tpo'; did you mean --top?"]
    """
    if isinstance(error, _Refusal):
        return error.message.split("\n")
    commands = _with_option(error) if isinstance(error, click.NoSuchOption) else []
    if commands:
        hint = f"; it is an option of {listed(commands, 3)}"
    else:
        near = getattr(error, "possibilities", None) or ()  # of an option, or of a command
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
    message = error.message if hint else error.format_message()
    return [f"{message[:1].lower()}{message[1:].removesuffix('.')}{hint}"]


def _with_option(error: click.NoSuchOption) -> list[str]:
    """The other commands of the program that have the option."""
    group = error.ctx.find_root().command if error.ctx is not None else None
    if not isinstance(group, click.Group):
        return []
    context = click.Context(group)
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return [
        name
        for name, command in commands.items()
        if command is not None and any(error.option_name in option.opts for option in command.params)
    ]


def advice(error: click.UsageError) -> list[str]:
    """The lines below an error: the corrected command, or the usage and the command that prints the help."""
    context = error.ctx
    if context is None:
        return []
    if isinstance(error, _Refusal) and isinstance(error.error, MissingQrels) and len(error.error.qrels) == 1:
        session, names = context.find_object(Session), context.command_path.split()
        typed = [] if session is None else session.arguments[len(names) - 1 :]
        options = [option for option in context.command.params if isinstance(option, click.Option)]
        takes_value = {name for option in options if not option.is_flag for name in option.opts}
        command = " ".join(map(shell_word, [*names, *with_qrels(typed, error.error.qrels[0], takes_value)]))
        if command == printable(command):
            return [command]
    unknown_command = isinstance(context.command, click.Group) and not isinstance(error, click.NoSuchOption)
    usage = [context.get_usage()] if unknown_command or isinstance(error, click.MissingParameter) else []
    return [*usage, f"Try '{context.command_path} -h' for help."]


def with_qrels(typed: Sequence[str], qrels: str, takes_value: set[str]) -> list[str]:
    """The arguments of a command with ``-q QRELS`` in place of the first input ``qrels``, or at the end.

    The file is removed from the other inputs and from the values of other options; ``takes_value`` are the options
    that have a value.

    >>> with_qrels(["runs", "qrels.txt", "-m", "AP"], "qrels.txt", {"-m"})
    ['runs', '-q', 'qrels.txt', '-m', 'AP']
    >>> with_qrels(["runs", "--pool", "q", "--", "q"], "q", {"--pool"})
    ['runs', '-q', 'q', '--']
    """
    words: list[str] = []
    position = end_of_options = None
    rest = list(typed)
    while rest:
        word = rest.pop(0)
        option, _, value = word.partition("=")
        if end_of_options is None and word == "--":
            end_of_options = len(words)
            words.append(word)
        elif end_of_options is None and word in takes_value and rest:
            value = rest.pop(0)
            words += [] if value == qrels else [word, value]
        elif end_of_options is None and option in takes_value and value == qrels:
            continue
        elif word == qrels:
            position = len(words) if position is None else position
        else:
            words.append(word)
    last = len(words) if end_of_options is None else end_of_options
    position = last if position is None else min(position, last)
    return [*words[:position], "-q", qrels, *words[position:]]


WORDS = {
    "run": "what one system returned for all queries: a ranked list of documents for each query",
    "query, topic": "the same: what a user asks",
    "qrels, judgments": "which documents are relevant to which query, and in which grade",
    "measure": "a rule that gives a ranked list a score, such as AP or nDCG@10",
    "virtual target": "what runs are measured against: by default the best score of each query over all runs; it need "
    "not exist as a system",
    "pool": "the runs that the target is made of: those that are listed, and those of --pool",
    "unjudged": "of a document that nobody judged for the query; it counts as not relevant",
    "bias": "the target's mean minus the run's mean: how far the run is behind on average",
    "bias²": "bias squared, so that it can be added to a variance; bias2 in csv and JSON",
    "var, variance": "how much a run's scores differ from query to query (divisor n)",
    "total": "bias² + variance: the mean squared distance of the run's scores from the target's mean",
    "score form": "bias and variance of the scores themselves: var and total",
    "gap form": "the same of target minus score on each query, var_gap and total_gap: how evenly a run is behind",
    "normalised": "divided by the target's score: a run that is a constant share of the target has no variance",
    "tradeoff": "runs with less bias² have more variance, beyond what their means alone give",
    "null model": "simulated tracks in which runs differ only in their means: the correlation without a tradeoff",
    "verdict": "stronger or weaker where the correlation is beyond all null models, else none",
    "stability": "by how many standard deviations a run's variance is above that of simulated runs with its mean; "
    "above 0 it is less even than expected. In 'tradeoff between effectiveness and stability' it means low variance",
    "Pareto front": "the runs than which no other run has less bias² and less variance",
    "switch point": "the target's mean at which two runs have the same total; beyond it they change places",
    "bias_loro": "the bias against the best of the other runs: leave one run out",
    "baseline": "the run that others are compared with",
    "Δ, delta": "a run's mean minus that of the other run",
    "p, Holm": "the chance of so large a difference if there were none; corrected for the number of comparisons",
    "step-down bootstrap": "the test that decides by default; it allows for all pairs of runs at once",
    "critical difference": "how far apart two means must be to differ significantly",
    "share of runs": "the share of the squared standard error of a difference that is due to the runs of both systems",
    "u_risk_1": "mean gain minus mean loss against the baseline, where a loss counts 1 + α = 2 times",
    "RI, <Init": "RI: the share of queries won minus the share lost; <Init: the share lost",
    "t_risk_1": "u_risk_1 divided by its standard error",
    "judge, reference": "whose judgments of the same runs these are; the judge that the others are compared with",
    "spread": "how far a judge spreads the true means of the runs, beside the reference: 2 is twice as far",
    "slope": "that of the runs' means under a judge on those under the reference; noise of these draws it to 0",
    "favour": "how far a judge moves single runs off the line of all: it can change their order",
    "replicate": "one of several runs of a system, such as a random seed",
    "cluster": "queries that belong together, such as the turns of a conversation",
    "least_p": "the smallest p that so few years can give",
    "signature": "one line with everything that the numbers depend on: version, measure, target, queries, options",
}


def glossary(context: click.Context) -> str:
    """The definitions of `WORDS` as a list."""
    formatter = context.make_formatter()
    formatter.write_dl(list(WORDS.items()))
    return formatter.getvalue().rstrip("\n")
