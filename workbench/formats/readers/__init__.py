"""The records of each format: a row as an object in, a `Record` out."""
