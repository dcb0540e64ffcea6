"""Proposers: they read a text and say which units stand in it. The one room that may use the network."""

CLAUDE, OPENAI = "claude", "openai"
MODEL_PROPOSERS = (CLAUDE, OPENAI)
"""The proposers that ask a service."""
