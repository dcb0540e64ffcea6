"""Review in a browser: pages on the same desk as the terminal app."""
