"""Krippendorff's α of workers who marked names, against what another program counted.

    python -m tests.quality.crowd DATA

DATA is a folder with `btc_crowd.jsonl` (five workers' marks of persons, places and organisations, by token)
and `oracles.json`. An item is a token; a worker's value is whether they marked it. It ends with 1 where one
differs in the fourth digit.
"""

import json
from collections import defaultdict
from pathlib import Path

from tests.benchmarks.harness import options
from tests.quality.labelled import rows_of
from workbench.comparing.agreement import alpha

ORACLE = "btc_e_krippendorff_nominal_token"


def main() -> None:
    data = options(__doc__, data=Path).data
    wanted = json.loads((data / "oracles.json").read_text("utf-8"))["recomputed_only"][ORACLE]
    items: dict[str, list[list[bool]]] = defaultdict(list)
    for row in rows_of(data / "btc_crowd.jsonl"):
        for label, workers in row["judgments"].items():
            marked = [set(one["tokens"]) for one in workers]
            items[label] += [[place in own for own in marked] for place in range(len(row["tokens"]))]
    differs = False
    for label, known in wanted.items():
        found = alpha(items[label])
        differs |= found is None or round(found, 4) != known
        print(f"{label}  α {found:.4f}  known {known}  tokens {len(items[label]):,}")
    raise SystemExit(int(differs))


if __name__ == "__main__":
    main()
