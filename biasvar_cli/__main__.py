"""The program: ``biasvar``, and ``python -m biasvar_cli``, which is the same."""

import os
import sys


def run() -> int:
    """Run the program and return its exit code; an interrupt ends it without a traceback, while it starts up, too."""
    try:
        from biasvar_cli.console.streams import set_up

        set_up()
    except KeyboardInterrupt:
        os.write(2, b"\nbiasvar: interrupted\n")
        os._exit(130)
    from biasvar_cli.cli import main
    from biasvar_cli.console.limits import is_limited, watched

    return watched(main) if is_limited() else main()


if __name__ == "__main__":
    sys.exit(run())
