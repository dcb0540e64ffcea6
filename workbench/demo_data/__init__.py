"""The demo's dataset: `demo.jsonl`, in the native JSON Lines format."""
