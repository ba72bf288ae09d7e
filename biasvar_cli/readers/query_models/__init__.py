"""Query models: the weighted terms of every query, as the systems write them that make them."""
