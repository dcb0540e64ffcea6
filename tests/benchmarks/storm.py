"""A run over a service that fails at random, killed at random moments: nothing lost, no answer asked again.

Two kinds of units, a context per sample. The run is killed by SIGKILL, started again until it ends, and
then retried over a service without faults. Ends with 1 when a rule is broken.

    python -m tests.benchmarks.storm [--samples 2000] [--share .3] [--kills 20] [--seed 0]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.stages.claude_storm import KIND_OF, Storm, weather


def show(storm: Storm, seconds: float) -> None:
    """The figures of a storm."""
    dealt, final = storm.ledger.met, Counter(call.failure for call in storm.calls if call.failure)
    print(f"{storm.samples} samples, {storm.kills} kills, {seconds:.0f} s")
    print(f"before the retry: {storm.proposed} proposed, {storm.failed.total()} failed")
    print(f"{'kind':<15}{'requests that met it':>22}{'calls given up':>16}{'samples failed':>16}")
    for kind in dict.fromkeys(KIND_OF.values()):
        met = sum(count for fault, count in dealt.items() if KIND_OF[fault] == kind)
        print(f"{kind:<15}{met:>22}{final[kind]:>16}{storm.failed[kind]:>16}")
    print(f"{'all':<15}{dealt.total():>22}{final.total():>16}{storm.failed.total():>16}")
    recorded = sum(call.attempts for call in storm.calls)
    print(
        f"{len(storm.ledger.seen)} requests = {recorded} attempts of {len(storm.calls)} stored calls"
        f" + {storm.unheard} under way at the kills"
        f" (of which {storm.lost} were paid)"
    )
    print(f"the retry asked for {storm.retried} texts")
    for rule in list(dict.fromkeys(storm.wrong))[:20]:
        print(f"BROKEN: {rule}")
    print("all rules hold" if not storm.wrong else f"{len(storm.wrong)} broken")


def main() -> int:
    """Run one storm and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--share", type=float, default=0.3, help="of the requests that meet a fault")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    said = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        storm = weather(Path(folder), said.samples, said.share, said.kills, seed=said.seed)
    show(storm, time.perf_counter() - began)
    return 1 if storm.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
