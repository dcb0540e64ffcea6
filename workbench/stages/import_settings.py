"""The settings of a dataset that an export folder brings along."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import InputError
from workbench.formats.detect import settings_of
from workbench.formats.rows import shown
from workbench.model import KINDS, VERDICTS, Policy
from workbench.reviewing.documents import policy_of


@dataclass(frozen=True, slots=True)
class Kept:
    """What a folder says of the dataset it was exported from; None where it says nothing.

    `columns`: further settings by the name of their column in the database.
    """

    policy: Policy | None = None
    seed: int | None = None
    blind: float | None = None
    columns: dict[str, Any] = field(default_factory=dict)


def kept_settings(path: Path) -> Kept:
    """The settings in the manifest of a folder, or of the folder of an exported file.

    Raises InputError for settings that no dataset could have.
    """
    folder = path if path.is_dir() else path.absolute().parent
    settings = settings_of(folder, None if path.is_dir() else path.name)[1]
    if not settings:
        return Kept()

    def refuse(name: str, expected: str) -> InputError:
        return InputError(
            f"{folder / 'manifest.json'}: settings.{name}: got {shown(settings[name])}, expected {expected}"
        )

    seed, blind = settings.get("seed"), settings.get("blind_share")
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**53):
        raise refuse("seed", "a whole number")
    if blind is not None and (type(blind) not in (int, float) or not 0 <= blind <= 1):
        raise refuse("blind_share", "a number from 0 to 1")
    columns: dict[str, Any] = {}
    if (threshold := settings.get("threshold")) is not None:
        if type(threshold) is not int or not 0 <= threshold <= 100:
            raise refuse("threshold", "a whole number from 0 to 100")
        columns["threshold"] = threshold
    for name, known in (("show_auto", ("after", "always")), ("external", ("ask", "allow", "never"))):
        if (said := settings.get(name)) is not None:
            if said not in known:
                raise refuse(name, " or ".join(known))
            columns[name] = said
    policy = None
    if (document := settings.get("policy")) is not None:
        policy = _policy(document)
        if policy is None:
            raise refuse("policy", "the policy of a dataset")
    return Kept(policy, seed, None if blind is None else float(blind), columns)


def _policy(document: Any) -> Policy | None:
    """The policy of a document; None for a document that is none."""
    try:
        policy = policy_of(document, 1)
        fits = (
            set(policy.kinds) <= set(KINDS)
            and policy.kinds
            and policy.nested in VERDICTS
            and policy.partial in ("split", "missing")
            and all(type(one.name) is str and type(one.key) is str for one in policy.labels)
            and all(type(one) is str for one in policy.counted_labels)
            and type(policy.guidelines) is str
            and type(policy.language) is str
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        return None
    return policy if fits else None
