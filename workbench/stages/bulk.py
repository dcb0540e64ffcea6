"""Matching many samples: on all cores when there are many, in the order they came."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context, parent_process

from workbench.model import Policy, Proposal, Sample
from workbench.scoring.counted import Counted
from workbench.scoring.scorers import counted
from workbench.store.samples import Stored

FEW = 3
"""Chunks of a thousand below which starting processes costs more than it saves.

2,000 samples of 1 kB take 1.4 s of processor time in this process, 3.1 s in two (each imports the matcher).
"""

Work = tuple[int, Sample, Proposal]


def count_all(chunks: Iterable[Sequence[Stored]], policy: Policy) -> Iterator[dict[int, Counted]]:
    """Count every chunk of stored samples; samples without a proposal are left out."""
    waiting = iter(chunks)
    first = list(islice(waiting, FEW))
    cores = os.cpu_count() or 1
    if len(first) < FEW or cores == 1:
        for chunk in chain(first, waiting):
            yield count_chunk(_work(chunk), policy)
        return
    # spawn: forking a process that has a writer thread and open database handles is not safe
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn"), initializer=_begin_worker) as pool:
        running: deque[Future[dict[int, Counted]]] = deque()
        for chunk in chain(first, waiting):
            running.append(pool.submit(count_chunk, _work(chunk), policy))
            if len(running) > cores + 1:  # a bounded queue keeps memory flat
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


def _begin_worker() -> None:
    """Leave Ctrl-C, which reaches every process of the terminal, to the parent, and end when that ends.

    A parent that was killed cannot end its workers: each waits for work on a pipe that the others hold open.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def count_chunk(work: Sequence[Work], policy: Policy) -> dict[int, Counted]:
    """Count some samples; runs in a worker process."""
    return {number: counted(sample, proposal, policy) for number, sample, proposal in work}


def _work(chunk: Sequence[Stored]) -> list[Work]:
    return [(one.sample_id, one.sample, one.proposal) for one in chunk if one.proposal is not None]
