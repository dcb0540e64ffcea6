"""The gate: keys in order, none lost."""

from functools import partial

from workbench.errors import InputError
from workbench.tui.work import Gate


async def test_entries_wait_while_closed_and_run_in_order() -> None:
    """What comes while something is written acts after it, in the order it came."""
    gate, done = Gate(print), []

    async def note(name: str) -> None:
        done.append(name)
        if name == "write":
            gate.close()

    for name in ("a", "write", "b", "c"):
        await gate.enter(partial(note, name))
    assert done == ["a", "write"]
    assert not gate.idle

    gate.open()
    await gate.drain()
    assert done == ["a", "write", "b", "c"]
    assert gate.idle


async def test_an_entry_that_closes_the_gate_holds_those_behind_it() -> None:
    """Draining stops again at the next write."""
    gate, done = Gate(print), []

    async def write(name: str) -> None:
        done.append(name)
        gate.close()

    gate.close()
    for name in ("one", "two"):
        await gate.enter(partial(write, name))
    gate.open()
    await gate.drain()
    assert done == ["one"]


async def test_parked_entries_come_back_before_newer_ones() -> None:
    """After a failure the keys typed behind it wait for the decision, then run first."""
    gate, done = Gate(print), []

    async def note(name: str) -> None:
        done.append(name)

    gate.close()
    await gate.enter(partial(note, "old"))
    parked = gate.park()
    await gate.enter(partial(note, "new"))
    gate.resume(parked)
    gate.open()
    await gate.drain()
    assert done == ["old", "new"]


async def test_an_entry_that_is_refused_says_why_and_holds_up_nothing_behind_it() -> None:
    said: list[str] = []
    gate = Gate(said.append)

    async def refuse(why: str) -> None:
        raise InputError(why)

    gate.close()
    for why in ("no such unit", "not here"):
        await gate.enter(partial(refuse, why))
    gate.open()
    await gate.drain()
    assert said == ["no such unit", "not here"]
    assert gate.idle
