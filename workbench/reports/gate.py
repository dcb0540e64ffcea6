"""What a gate came to, for CI: Markdown for a comment or a job summary, JUnit for a report of tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

from workbench.errors import ExportError
from workbench.reports.answer import code
from workbench.reports.texts import NO_UNITS, gate_text
from workbench.text.safe import clean, flat

if TYPE_CHECKING:
    from workbench.scoring.gate import ScoreGate

_NO_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd", **dict.fromkeys(range(0x1FFFE, 0x110000, 0x10000), "\ufffd")}


def gate_markdown(gate: ScoreGate, withheld: Collection[str], names: Mapping[str, str]) -> str:
    """The text of a gate; names of samples are code, so that nothing in them is read as markup."""
    first, *rest = gate_text(gate, withheld, names, code).splitlines()
    return "\n".join([f"**{first}**", "", *(f"- {line.strip()}" for line in rest)]).rstrip()


def write_junit(path: Path, gate: ScoreGate, withheld: Collection[str], names: Mapping[str, str]) -> None:
    """One test for the gate, with `strict` a failed one for each sample that is not perfect, and a skipped
    one for each undefined sample.

    Raises ExportError when the file cannot be written.
    """
    text = _plain(gate_text(gate, withheld, names))
    below = [name for name in gate.below if name not in withheld] if gate.strict else []
    undefined = [name for name in gate.undefined if name not in withheld]
    suite = Element(
        "testsuite",
        name=f"workbench.{gate.metric}",
        tests=str(1 + len(below) + len(undefined)),
        failures=str((not gate.passed) + len(below)),
        errors="0",
        skipped=str(len(undefined)),
        time="0",
        timestamp=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        hostname="localhost",
    )
    SubElement(suite, "properties")
    mark = "every sample is perfect" if gate.strict else f"the mean recall is at least {gate.threshold}"
    _test(suite, gate, mark, "" if gate.passed else text)
    for name in below:
        _test(suite, gate, _plain(flat(names.get(name, name))), "not every unit is found")
    for name in undefined:
        case = _test(suite, gate, _plain(flat(names.get(name, name))), "")
        SubElement(case, "skipped", message=NO_UNITS)
    SubElement(suite, "system-out").text = text
    SubElement(suite, "system-err")
    try:
        path.write_bytes(tostring(suite, encoding="utf-8", xml_declaration=True))
    except OSError as error:
        raise ExportError(f"--junit {path}: {error.strerror or error}") from error


def _test(suite: Element, gate: ScoreGate, name: str, failed: str) -> Element:
    case = SubElement(suite, "testcase", name=name, classname=f"workbench.{gate.metric}", time="0")
    if failed:
        first = failed.partition("\n")[0]
        SubElement(case, "failure", message=first, type="recall").text = failed
    return case


def _plain(text: str) -> str:
    """Text that XML 1.0 can hold and that steers no terminal which prints it."""
    return clean(text).translate(_NO_XML)
