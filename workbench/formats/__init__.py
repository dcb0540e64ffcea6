"""Files: one module per format, each with `rows` to read and/or functions to write."""
