"""``python -m biasvar_cli`` is ``biasvar``."""

import sys

from biasvar_cli.cli import main

if __name__ == "__main__":
    sys.exit(main())
