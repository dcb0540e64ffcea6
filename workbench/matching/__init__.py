"""Which reference names are mentioned in the contexts: a layered matcher that names its reasons."""
