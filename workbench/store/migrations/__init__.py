"""Schema migrations, numbered; imported only when one is due."""
