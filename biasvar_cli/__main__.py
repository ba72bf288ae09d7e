"""The program: ``biasvar``, and ``python -m biasvar_cli``, which is the same."""

import gc
import os
import sys

_GARBAGE = 100_000  # objects, after which cycles are looked for: not among the many that imports make, which stay


def run() -> int:
    """Run the program and return its exit code; an interrupt ends it without a traceback, while it starts up, too."""
    gc.set_threshold(_GARBAGE)
    try:
        from biasvar_cli.console.streams import set_up

        set_up()
    except KeyboardInterrupt:
        os.write(2, b"\nbiasvar: interrupted\n")
        os._exit(130)
    from biasvar_cli.cli import main
    from biasvar_cli.console.limits import is_limited, watched

    code = watched(main) if is_limited() else main()
    gc.freeze()  # the interpreter looks for cycles once more as it ends
    return code


if __name__ == "__main__":
    sys.exit(run())
