"""Files that come in and files that leave.

- `reading` reads a file or folder: `detect` finds out its format, then its reader makes the records.
- `detect` names all `readers`.
- `json_lines` and `tables` hold the containers: JSON, CSV, Parquet and Arrow, as streams in bounded memory.
- `columns` (with `columns.toml`) knows the names of columns, `rows` the checks of a value and what is noted.
- `exports` writes samples for other tools and reads an export again; `report` writes the HTML page.
- `policy`, `calibration` and `rejects` are files of their own.

CONTRIBUTING.md says what to change to add a format.
"""
