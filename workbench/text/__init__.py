"""Offsets, tokens, sentences, normalised keys, grounding of quotes, cells, and safe text."""
