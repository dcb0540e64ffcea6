"""Offsets, tokens, sentences, normalised keys, grounding of quotes, and text made safe to show."""
