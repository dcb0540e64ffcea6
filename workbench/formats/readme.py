"""What an export's files are, for the person who opens the folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.text.safe import clean

_HEAD = "# {title}\n\nWritten by `workbench export --format {name}`. {what}\n"

_ABOUT: dict[str, tuple[str, str]] = {
    "native": (
        "Samples as native rows",
        "`samples.jsonl` holds one sample a line: its text, the suggestions in use, the verified "
        "units of each annotator and the scores that came with it. `workbench import "
        "samples.jsonl --gold-if-given` brings it back. "
        "`verdicts.jsonl` has one row for every verified or proposed unit, with the automatic and "
        "the human verdict, for whoever fits or checks a metric. `weight` is 1/pi; it is null where pi is "
        "not known: such rows stand for no others.",
    ),
    "ragas": (
        "A ragas EvaluationDataset",
        "`dataset.jsonl` is for `EvaluationDataset.from_jsonl`: ragas's own keys and no others, because it "
        "drops what it does not know. `dataset.workbench.jsonl` holds the native row of each line, in the "
        "same order.",
    ),
    "ragas-annotations": (
        "ragas metric annotations",
        "`annotations.json` is for `metric.train` and `MetricAnnotation.from_json`, `single.json` for "
        "`SingleMetricAnnotation.from_json`. Every sample comes twice, because ragas extracts entities from "
        "the reference and from the contexts with one prompt: `edited_output` of the first are the verified "
        "entities, of the second the proposed ones and the evidence that they lacked. The second is accepted "
        "only where every proposed context entity is evidence of a verified one. `metric_output` and "
        "`target` "
        "are the verified recall. An exact recompute by ragas may differ: it compares strings, a person "
        "compares what they mean, and 4 of 6 is 4/(6 + 1e-8) there.",
    ),
    "deepeval-goldens": (
        "deepeval goldens",
        "`goldens.json` is for `EvaluationDataset.add_goldens_from_json_file`. The verified units travel in "
        "`additional_metadata.workbench`, as a native row.",
    ),
    "deepeval-cases": (
        "deepeval test cases",
        "`test_cases.json` holds the samples that have a response, under the names of `LLMTestCase`. "
        "deepeval's "
        "own reader drops `additional_metadata`, where the native row is.",
    ),
    "label-studio": (
        "Label Studio tasks",
        "Set up a project with `labeling.xml`, then import `tasks.json`. It shows the text to mark and the "
        "contexts. Proposals are predictions, each "
        "annotator's verified units are an annotation, a region's verdict a choice on it. "
        "Offsets count UTF-16 units, "
        "as "
        "its editor does.",
    ),
    "prodigy": (
        "Prodigy tasks",
        "`tasks.jsonl` holds the samples whose entities are verified, for `spans.manual` or `db-in`. `end` "
        "is "
        "exclusive, `token_end` inclusive. Hashes are left out; Prodigy makes them.",
    ),
    "conll": (
        "CoNLL with BIO tags",
        "`gold.conll` holds a token and its tag a line, and a blank line after each text: `spacy convert "
        "gold.conll . -c ner` reads it. `texts.jsonl` holds the id and the text of each, in that order; the "
        "tokens follow each other in the text, which gives you every offset. Tokens are cut where a name "
        "begins or ends. "
        "`conflicts.jsonl` names what one row of tags cannot hold: names inside or across other names.",
    ),
    "csv": (
        "Tables for R, pandas and spreadsheets",
        "`samples.csv` holds one sample a row, `units.csv` one verified unit of one annotator. A text that a "
        "spreadsheet would run as a formula (it begins with = + - @, a tab, a line end or their full-width "
        "forms) has an apostrophe in front, and so has one that begins with an apostrophe: take exactly one "
        "apostrophe away from every text cell that begins with one and you have the original. Lists and "
        "objects are JSON. `u`, `size`, `stratum`, `position` and `pi` say how a sample was drawn; an empty "
        "`pi` is not known.",
    ),
    "few-shot": (
        "Examples for a prompt",
        "`examples.jsonl` holds one verified sample of every group and reference; never one that is kept "
        "back "
        "or was to be reviewed without suggestions.",
    ),
}  # fmt: skip

_NO_TEXT = (
    "\nWithout text: questions, references, contexts, wordings, notes and guidelines are left out, groups "
    "and strata have pseudonyms; ids and labels are as they are. The hashes are those of the database: 32 "
    "digits of SHA-256 over the texts, joined by NUL.\n"
)
_ALL = (
    "\n`manifest.json`{where} says where it comes from and holds the SHA-256 of every file; `workbench "
    "verify FOLDER` checks it.\n"
)


def about_format(name: str, *, without_text: bool = False, one_of_several: bool = False) -> str:
    """The page next to the files of a format. `one_of_several`: the manifest is one folder up."""
    title, what = _ABOUT[name]
    page = _HEAD.format(title=title, name=name, what=what) + (_NO_TEXT if without_text else "")
    return page + _ALL.format(where=", one folder up," if one_of_several else "")


def card_text(manifest: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """The body of a dataset card: what was annotated how, by whom, and what the figures rest on."""
    sampling, agreement = manifest["sampling"], manifest["agreement"]
    lines = [
        f"# {plain(manifest['dataset']['id'])}",
        "",
        f"{counts['samples']:,} samples of questions, reference answers and retrieved contexts; "
        f"{counts['gold']:,} with units and matches that people verified.",
        "",
        "## Annotation",
        "",
        f"Units were proposed by {_models(manifest)}, matched by {manifest['matcher']['version']} from a "
        f"similarity of {manifest['matcher']['threshold']} on, and accepted or corrected by people in "
        f"Workbench "
        f"under guidelines version {manifest['guidelines']['version']} (SHA-256 "
        f"{manifest['guidelines']['sha256']}). The annotators saw the suggestions, but for "
        f"{sampling['blind_share']:.0%} of the samples, which were reviewed without.",
        "",
        "## Annotators",
        "",
        f"{len(manifest['annotators']['each'])}, {manifest['annotators']['names']}.",
    ]
    if agreement:
        kappa = "undefined" if agreement["kappa"] is None else f"{agreement['kappa']:.2f}"
        lines.append(
            f"On {agreement['samples']:,} samples that several verified: unit F1 {agreement['unit_f1']:.2f}, "
            f"κ of the verdicts {kappa} on {agreement['shared_units']:,} units."
        )
    lines += [
        "",
        "## Sampling",
        "",
        f"Design {sampling['design']}, seed {sampling['seed']}; {sampling['prefix_n'] or 0:,} of "
        f"{sampling['population'] or 0:,} samples can stand for all. `pi` is the probability with which a "
        f"sample "
        "was drawn.",
        "",
        "## Columns",
        "",
        "`entity_texts`, `entity_labels`, `entity_starts`, `entity_ends` and `entity_verdicts` go "
        "together, and "
        "so do those of `statement`. Offsets are code points of `reference`. `workbench` is the native row "
        "as "
        "JSON, but for the reference.",
        "",
    ]
    return "\n".join(lines)


def _models(manifest: Mapping[str, Any]) -> str:
    names = {
        ", ".join(one["models_returned"]) or one["model"] or one["proposer"] for one in manifest["models"]
    }
    return "; ".join(map(plain, sorted(names))) or "nobody"


def plain(text: str) -> str:
    """A name in a Markdown page: shown as it is, without HTML, links or hidden characters."""
    words = " ".join(clean(text).split())
    return _MARKUP.sub(r"\\\1", words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_MARKUP = re.compile(r"([\\`*_\[\]|~#!$])")
