"""What commands share: options, output, terminal, streams, help, completion."""
