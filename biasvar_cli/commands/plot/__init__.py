"""``biasvar plot``: the papers' figures, a subcommand each."""
