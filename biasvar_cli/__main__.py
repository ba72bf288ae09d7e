"""``python -m biasvar_cli`` is ``biasvar``."""

from biasvar_cli.cli import main

if __name__ == "__main__":
    main()
