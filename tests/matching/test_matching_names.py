"""Each layer of the matcher says its name and its score."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from workbench.matching import FLOOR
from workbench.matching.names import Name, best, similarity

# Scores are stored with every link: a change of one is a change of the matcher's version.
GOLDEN = [
    ("Paris", "Paris", "", "en", (100, "equal")),
    ("the Eiffel Tower", "Eiffel Tower", "", "en", (99, "normalised")),
    ("Eiffel, Gustave", "Gustave Eiffel", "", "en", (99, "normalised")),
    ("Müller", "Mueller", "", "de", (99, "normalised")),
    ("14 July 1889", "July 14, 1889", "date", "en", (99, "normalised")),
    ("14 July 1889", "17 July 1889", "date", "en", (0, "digits")),
    ("14 July 1889", "1889", "date", "en", (80, "digits")),
    ("1889", "July 1889", "date", "en", (80, "digits")),
    ("14 July 1889", "1890", "date", "en", (0, "digits")),
    ("14 July 1889", "July 14", "date", "en", (80, "digits")),
    ("14 July 1889", "4 July", "date", "en", (0, "digits")),
    ("June 8, 1959", "8", "", "en", (0, "digits")),
    ("03/04/1999", "3 April 1999", "date", "en", (80, "digits")),
    ("03/04/1999", "4 March 1999", "date", "en", (80, "digits")),
    ("03/04/1999", "5 March 1999", "date", "en", (0, "digits")),
    ("Boeing 737", "Boeing 747", "", "en", (0, "digits")),
    ("Henry VI", "Henry IV", "person", "en", (0, "")),
    ("Париж", "Париже", "place", "ru", (98, "inflected")),
    ("Лев Толстой", "Льва Толстого", "person", "ru", (98, "inflected")),
    ("Київ", "у Києві", "place", "uk", (98, "inflected")),
    ("Nobel Prizes", "Nobel Prize", "", "en", (98, "inflected")),
    ("Massachusetts", "Massachussetts", "place", "en", (90, "typo")),
    ("United States", "USA", "place", "en", (96, "country")),
    ("Россия", "РФ", "place", "ru", (96, "country")),
    ("United States", "American", "place", "en", (80, "country")),
    ("World Health Organization", "WHO", "organisation", "en", (96, "acronym")),
    ("John F. Kennedy", "John Fitzgerald Kennedy", "person", "en", (95, "initials")),
    ("Gustave Eiffel", "Eiffel", "person", "en", (93, "short_form")),
    ("University of Alberta", "Alberta University Press", "organisation", "en", (93, "short_form")),
    ("William DeMott II", "William DeMott", "person", "en", (93, "short_form")),
    ("Turkey", "western Turkey", "place", "en", (90, "short_form")),
    ("Грозном", "городе Грозном", "place", "ru", (90, "short_form")),
    ("Edmonton", "City of Edmonton", "place", "en", (90, "short_form")),
    ("Hubei", "Hubei Province", "place", "en", (90, "short_form")),
    ("Kiruna", "Kiruna, Sweden", "place", "en", (90, "short_form")),
    ("Alberta", "University of Alberta", "place", "en", (56, "typo")),
    ("Venezuelan", "Venezuela", "other", "en", (80, "country")),
    ("souvlakia", "souvlaki", "other", "en", (79, "typo")),
    ("Москва", "московский", "place", "ru", (98, "inflected")),
    ("Прага", "пражских", "place", "ru", (98, "inflected")),
    ("Минск", "минская", "place", "ru", (98, "inflected")),
    ("Германия", "немецкий", "place", "ru", (96, "country")),
    ("Австрия", "австриец", "place", "ru", (80, "country")),
    ("мэрия Самары", "самарская мэрия", "organisation", "ru", (98, "inflected")),
    ("сенат Чехии", "чешский сенат", "organisation", "ru", (98, "inflected")),
    ("Чайка", "Чайковский", "person", "ru", (0, "")),
    ("совет Европейского союза", "совет ЕС", "organisation", "ru", (98, "inflected")),
    ("US Mint", "United States Mint", "organisation", "en", (98, "inflected")),
    ("Austria", "Australia", "place", "en", (0, "")),
    ("Минтранс", "Министерство транспорта", "organisation", "ru", (96, "acronym")),
    ("МВД Латвии", "министерство внутренних дел Латвии", "organisation", "ru", (96, "acronym")),
    ("МВДа РФ", "министерство внутренних дел", "organisation", "ru", (93, "acronym")),
    ("завод ГАЗ", "Горьковский автомобильный завод", "organisation", "ru", (93, "acronym")),
    ("Wagner", "Вагнера", "person", "ru", (96, "transliteration")),
    ("Александр Вагнер", "Alexandr Wagner", "person", "ru", (96, "transliteration")),
    ("Шостакович", "Dmitri Shostakovitch", "person", "ru", (90, "transliteration")),
    ("Πειραιάς", "Peiraias", "place", "el", (90, "transliteration")),
    ("Λάρισα", "Larisa", "place", "el", (96, "transliteration")),
    ("Иран", "Iraq", "place", "ru", (0, "")),
    ("Иванов", "Ivanova", "person", "ru", (0, "")),
    ("III. Selim", "II. Selim", "person", "tr", (0, "")),
    ("II. Selim", "Selim", "person", "tr", (93, "short_form")),
    ("7 km", "7 mi", "number", "en", (12, "typo")),
    ("Anna K. Berg", "Anna M. K. Berg", "person", "en", (0, "")),
    ("A. Berg", "A. K. Berg", "person", "en", (93, "short_form")),
    ("Berg A.", "Berg A. K.", "person", "en", (93, "short_form")),
    ("Βουλγαρία", "Βουλγαρίας", "place", "el", (98, "inflected")),
    ("Σλοβενία", "Σλοβένος", "", "el", (0, "")),
    ("田中", "田中角栄", "person", "ja", (80, "short_form")),
    ("京都", "東京都", "place", "ja", (0, "")),
    ("…", "…", "", "en", (0, "")),
    # figures written together with what they count
    ("20kg", "20 kilograms", "number", "en", (99, "normalised")),
    ("€3bn", "3 billion euros", "number", "en", (99, "normalised")),
    ("$1.2M", "1.2 million dollars", "number", "en", (99, "normalised")),
    ("$5m", "$5 million", "number", "en", (99, "normalised")),
    ("5m", "5 metres", "number", "en", (99, "normalised")),
    ("50k", "fifty thousand", "number", "en", (99, "normalised")),
    ("100 °C", "100 degrees Celsius", "number", "en", (99, "normalised")),
    ("5G", "5 grams", "other", "en", (0, "digits")),
    ("−5 °C", "minus 5 degrees Celsius", "number", "en", (99, "normalised")),
    ("-5", "5", "number", "en", (0, "digits")),
    ("1914-1918", "1914–1918", "date", "en", (99, "normalised")),
    ("Friday, 3 March 2021", "3 March 2021", "date", "en", (99, "normalised")),
    ("WWII", "Second World War", "event", "en", (99, "normalised")),
    ("WW1", "World War II", "event", "en", (0, "digits")),
    # words written short
    ("St. Petersburg", "Saint Petersburg", "place", "en", (99, "normalised")),
    ("Main St.", "Main Street", "place", "en", (99, "normalised")),
    ("Mt. Everest", "Mount Everest", "place", "en", (99, "normalised")),
    ("Microsoft Corp.", "Microsoft Corporation", "organisation", "en", (99, "normalised")),
    ("Ford Motor Co.", "Ford Motor Company", "organisation", "en", (99, "normalised")),
    ("CO", "Company", "other", "en", (0, "")),
    ("vol. 2", "Volume 2", "work", "en", (99, "normalised")),
    ("Sen. Warren", "Senator Warren", "person", "en", (99, "normalised")),
    ("Dr. Jane Doe", "Doctor Jane Doe", "person", "en", (99, "normalised")),
    ("50 km/h", "50 kilometers per hour", "number", "en", (99, "normalised")),
    ("10 m²", "10 square metres", "number", "en", (99, "normalised")),
    ("10 lbs", "10lb", "number", "en", (99, "normalised")),
    ("10 lbs", "£10", "number", "en", (35, "typo")),
    ("Friday, 3 March", "Saturday, 3 March", "date", "en", (44, "typo")),
    ("45min", "45 minutes", "number", "en", (99, "normalised")),
    ("US$10 billion", "$10 billion", "number", "en", (99, "normalised")),
    ("C++", "C", "other", "en", (48, "typo")),
    ("C#", "C++", "other", "en", (0, "")),
    # a person's last name behind a title
    ("President Obama", "Barack Obama", "person", "en", (93, "short_form")),
    ("президента Путина", "Владимир Путин", "person", "ru", (93, "short_form")),
    ("Mr. Smith", "Mrs. Smith", "person", "en", (64, "typo")),
    ("Queen Elizabeth", "Elizabeth Taylor", "person", "en", (60, "typo")),
    # words that begin otherwise on the two sides: a look at their first letters must not part them
    ("Wi Fi", "WiFi", "other", "en", (99, "normalised")),
    ("UNESCO", "United Nations Educational Scientific Cultural Organization", "", "en", (96, "acronym")),
    ("Navy of the USA", "United States Navy", "organisation", "en", (98, "inflected")),
    ("Deutschlands", "Deutschland", "place", "de", (98, "inflected")),
    ("ten million", "10,000,000", "number", "en", (99, "normalised")),
    ("John Doe Jr.", "Doe", "person", "en", (93, "short_form")),
    ("J. Smith", "John Smith", "person", "en", (95, "initials")),
    ("Рорбек", "Rorbek", "person", "ru", (96, "transliteration")),
    ("Министерство финансов", "Минфин", "organisation", "ru", (96, "acronym")),
    ("Brannigan", "Rannigan", "person", "en", (86, "typo")),
    ("U.S.", "American", "place", "en", (80, "country")),
    ("Louis XIV", "Louis", "person", "fr", (93, "short_form")),
    ("N. Rorbek", "Rorbek", "organisation", "en", (93, "short_form")),
    ("Чайковского", "Pyotr Tchaikovsky", "person", "ru", (90, "transliteration")),
    ("Россия", "Russian Federation", "place", "ru", (96, "country")),
    ("столице Великобритании", "столица Британии", "organisation", "ru", (98, "inflected")),
    ("Группа NATO", "North Atlantic Treaty Organization", "organisation", "ru", (93, "acronym")),
]


@pytest.mark.parametrize(("a", "b", "label", "lang", "expected"), GOLDEN)
def test_every_layer_has_its_score(a: str, b: str, label: str, lang: str, expected: tuple[int, str]) -> None:
    """Golden scores, the same in both directions."""
    assert similarity(Name(a, label), Name(b, label), lang) == expected
    assert similarity(Name(b, label), Name(a, label), lang) == expected


@pytest.mark.parametrize(
    ("a", "b", "label", "lang", "alike"), [(*row, score) for *row, (score, _) in GOLDEN if score >= FLOOR]
)
def test_a_look_at_the_words_leaves_no_pair_out(a: str, b: str, label: str, lang: str, alike: int) -> None:
    for left, right in ((a, b), (b, a)):
        (linked,) = best([Name(left, label)], [Name("Ulan 77", label), Name(right, label)], lang=lang)
        assert (1, alike) == (linked and linked.candidate, linked and linked.similarity)


def test_a_last_name_counts_only_between_persons() -> None:
    """Labels decide whether a part of a name is a short form of it."""
    assert similarity(Name("Washington", "place"), Name("George Washington", "person"), "en")[0] < 85
    assert similarity(Name("Washington", "person"), Name("George Washington", "person"), "en")[0] >= 85


def test_a_place_is_at_most_suggested_for_another_word_labelled_other() -> None:
    """Who labels by rules calls one name both; City of Edmonton may be a film."""
    city = similarity(Name("Edmonton", "place"), Name("City of Edmonton", "other"), "en")
    assert city == (80, "short_form")
    assert similarity(Name("Georgia", "LOC"), Name("Georgia", "MISC"), "en") == (100, "equal")
    assert similarity(Name("Липецк", "place"), Name("Липецке", "other"), "ru") == (98, "inflected")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("York", "New York"),
        ("Virginia", "West Virginia"),
        ("Paris", "Paris Hilton"),
        ("Oxford", "University of Oxford"),
    ],
)
def test_without_labels_a_part_of_a_name_is_not_the_name(a: str, b: str) -> None:
    """Only the last word of a name that reads like a person's is taken for it."""
    assert similarity(Name(a), Name(b), "en")[0] < 85
    assert similarity(Name("Rowling"), Name("Joanne Rowling"), "en") == (93, "short_form")


def test_labels_of_other_tools_mean_the_same() -> None:
    """PER, Person and person are one label."""
    assert similarity(Name("Eiffel", "PER"), Name("Gustave Eiffel", "Person"), "en") == (93, "short_form")


NUMBERS = st.integers(0, 10**7)
FRAMES = st.sampled_from(
    ["{}", "Boeing {}", "{} people", "Apollo {}", "Chapter {} of the book", "{} км", "${}"]
)


@given(NUMBERS, NUMBERS, FRAMES, st.sampled_from(["", "number", "date", "other"]))
def test_different_digits_are_never_linked(x: int, y: int, frame: str, label: str) -> None:
    """However alike the rest is, two numbers are two things."""
    found, _ = similarity(Name(frame.format(x), label), Name(frame.format(y), label), "en")

    assert (found >= 85) == (x == y)


TEXTS = st.text(st.characters(exclude_categories=[]), max_size=30)


@given(
    TEXTS,
    TEXTS,
    st.sampled_from(["", "person", "organisation", "place"]),
    st.sampled_from([None, "", "ru", "pl", "zz"]),
)
def test_any_two_texts_can_be_compared(a: str, b: str, label: str, lang: str | None) -> None:
    """No text crashes the matcher; both directions agree; a name is equal to itself if it has a letter."""
    forth = similarity(Name(a, label), Name(b, label), lang)

    assert forth == similarity(Name(b, label), Name(a, label), lang)
    assert 0 <= forth[0] <= 100
    assert similarity(Name(a, label), Name(a, label), lang)[0] in {0, 100}
