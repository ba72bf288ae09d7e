"""Tables, the formats that they are printed in, and the words that several analyses share."""
