"""Many tracks at once: their tradeoffs, what is kept of them, and trends over the years."""
