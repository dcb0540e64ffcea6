"""Countries with their names, adjectives and people, in English and Russian.

A name of a country means the same in each of these forms: United States, USA, American; Россия, РФ,
российский. One line a country: English names, English adjectives and people, Russian names, Russian
adjectives and people. A word that means another country as well (Korean, Congolese, Guinean) is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.text import inflection
from workbench.text.inflection import forms
from workbench.text.normalise import key

_COUNTRIES = """
Afghanistan|Afghan|Афганистан|афганский,афганец
Albania|Albanian|Албания|албанский,албанец
Algeria|Algerian|Алжир|алжирский,алжирец
Andorra|Andorran|Андорра|андоррский
Angola|Angolan|Ангола|ангольский,анголец
Argentina,Argentine Republic|Argentine,Argentinian,Argentinean|Аргентина|аргентинский,аргентинец
Armenia|Armenian|Армения|армянский,армянин
Australia,Commonwealth of Australia|Australian|Австралия|австралийский,австралиец
Austria|Austrian|Австрия|австрийский,австриец
Azerbaijan|Azerbaijani,Azeri|Азербайджан|азербайджанский,азербайджанец
Bahamas|Bahamian|Багамские острова,Багамы|багамский
Bahrain|Bahraini|Бахрейн|бахрейнский
Bangladesh|Bangladeshi|Бангладеш|бангладешский
Barbados|Barbadian|Барбадос|барбадосский
Belarus,Byelorussia|Belarusian,Belorussian,Byelorussian|Белоруссия,Беларусь|белорусский,белорус
Belgium|Belgian|Бельгия|бельгийский,бельгиец
Belize|Belizean|Белиз|белизский
Benin|Beninese|Бенин|бенинский
Bhutan|Bhutanese|Бутан|бутанский
Bolivia|Bolivian|Боливия|боливийский,боливиец
Bosnia and Herzegovina,Bosnia|Bosnian|Босния и Герцеговина,Босния|боснийский,босниец
Botswana|Motswana|Ботсвана|ботсванский
Brazil|Brazilian|Бразилия|бразильский,бразилец
Brunei|Bruneian|Бруней|брунейский
Bulgaria|Bulgarian|Болгария|болгарский,болгарин
Burkina Faso|Burkinabe|Буркина-Фасо|
Burundi|Burundian|Бурунди|бурундийский
Cambodia,Kampuchea|Cambodian|Камбоджа|камбоджийский,камбоджиец
Cameroon|Cameroonian|Камерун|камерунский,камерунец
Canada|Canadian|Канада|канадский,канадец
Cape Verde|Cape Verdean|Кабо-Верде|
Central African Republic||Центральноафриканская Республика,ЦАР|
Chad|Chadian|Чад|чадский
Chechnya,Chechen Republic|Chechen|Чечня,Чеченская Республика|чеченский,чеченец
Chile|Chilean|Чили|чилийский,чилиец
China,People's Republic of China,PRC|Chinese|Китай,Китайская Народная Республика,КНР|китайский,китаец
Colombia|Colombian|Колумбия|колумбийский,колумбиец
Comoros|Comorian|Коморы,Коморские острова|коморский
Costa Rica|Costa Rican|Коста-Рика|костариканский
Croatia|Croatian,Croat|Хорватия|хорватский,хорват
Cuba|Cuban|Куба|кубинский,кубинец
Cyprus|Cypriot|Кипр|кипрский,киприот
Czech Republic,Czechia|Czech|Чехия,Чешская Республика|чешский,чех
Czechoslovakia|Czechoslovak,Czechoslovakian|Чехословакия|чехословацкий
Denmark|Danish,Dane|Дания|датский,датчанин
Djibouti|Djiboutian|Джибути|
Dominican Republic||Доминиканская Республика|
East Timor,Timor-Leste|Timorese,East Timorese|Восточный Тимор|
East Germany,German Democratic Republic,GDR|East German|ГДР,Германская Демократическая Республика,Восточная Германия|восточногерманский
Ecuador|Ecuadorian,Ecuadorean|Эквадор|эквадорский,эквадорец
Egypt|Egyptian|Египет|египетский,египтянин
El Salvador|Salvadoran,Salvadorean|Сальвадор|сальвадорский
England|English|Англия|английский,англичанин
Equatorial Guinea|Equatorial Guinean,Equatoguinean|Экваториальная Гвинея|
Eritrea|Eritrean|Эритрея|эритрейский
Estonia|Estonian|Эстония|эстонский,эстонец
Ethiopia|Ethiopian|Эфиопия|эфиопский,эфиоп
Europe|European|Европа|европейский,европеец
European Union,EU||Европейский союз,Евросоюз,ЕС|
Fiji|Fijian|Фиджи|фиджийский
Finland|Finnish,Finn|Финляндия|финский,финн,финляндский
France,French Republic|French,Frenchman|Франция|французский,француз
Gabon|Gabonese|Габон|габонский
Gambia|Gambian|Гамбия|гамбийский
Georgia|Georgian|Грузия|грузинский,грузин
Germany,Federal Republic of Germany,FRG|German|Германия,ФРГ,Федеративная Республика Германия|германский,немецкий,немец
Ghana|Ghanaian|Гана|ганский
Greece,Hellenic Republic|Greek|Греция|греческий,грек
Greenland|Greenlandic,Greenlander|Гренландия|гренландский
Grenada|Grenadian|Гренада|гренадский
Guatemala|Guatemalan|Гватемала|гватемальский
Guyana|Guyanese|Гайана|гайанский
Haiti|Haitian|Гаити|гаитянский,гаитянин
Honduras|Honduran|Гондурас|гондурасский
Hungary|Hungarian|Венгрия|венгерский,венгр
Iceland|Icelandic,Icelander|Исландия|исландский,исландец
India,Republic of India|Indian|Индия|индийский,индиец
Indonesia|Indonesian|Индонезия|индонезийский,индонезиец
Iran,Islamic Republic of Iran|Iranian|Иран,Исламская Республика Иран|иранский,иранец
Iraq|Iraqi|Ирак|иракский,иракец
Ireland,Republic of Ireland|Irish,Irishman|Ирландия|ирландский,ирландец
Israel|Israeli|Израиль|израильский,израильтянин
Italy,Italian Republic|Italian|Италия|итальянский,итальянец
Ivory Coast,Côte d'Ivoire|Ivorian|Кот-д'Ивуар|ивуарийский
Jamaica|Jamaican|Ямайка|ямайский
Japan|Japanese|Япония|японский,японец
Jordan|Jordanian|Иордания|иорданский,иорданец
Kazakhstan|Kazakh,Kazakhstani|Казахстан|казахстанский,казахский,казах
Kenya|Kenyan|Кения|кенийский,кениец
Kosovo|Kosovar,Kosovan|Косово|косовский
Kuwait|Kuwaiti|Кувейт|кувейтский
Kyrgyzstan,Kyrgyz Republic|Kyrgyz|Киргизия,Кыргызстан|киргизский,киргиз,кыргызский
Laos|Laotian|Лаос|лаосский
Latvia|Latvian|Латвия|латвийский,латышский,латыш
Lebanon|Lebanese|Ливан|ливанский,ливанец
Lesotho||Лесото|
Liberia|Liberian|Либерия|либерийский
Libya|Libyan|Ливия|ливийский,ливиец
Liechtenstein||Лихтенштейн|лихтенштейнский
Lithuania|Lithuanian|Литва|литовский,литовец
Luxembourg|Luxembourgish,Luxembourger|Люксембург|люксембургский
Madagascar|Malagasy|Мадагаскар|мадагаскарский
Malawi|Malawian|Малави|
Malaysia|Malaysian|Малайзия|малайзийский,малайзиец
Maldives|Maldivian|Мальдивы,Мальдивские острова|мальдивский
Mali|Malian|Мали|малийский
Malta|Maltese|Мальта|мальтийский
Mauritania|Mauritanian|Мавритания|мавританский
Mauritius|Mauritian|Маврикий|маврикийский
Mexico,United Mexican States|Mexican|Мексика|мексиканский,мексиканец
Moldova,Republic of Moldova|Moldovan|Молдавия,Молдова|молдавский,молдаванин
Monaco|Monegasque|Монако|
Mongolia|Mongolian|Монголия|монгольский,монгол
Montenegro|Montenegrin|Черногория|черногорский,черногорец
Morocco|Moroccan|Марокко|марокканский,марокканец
Mozambique|Mozambican|Мозамбик|мозамбикский
Myanmar,Burma|Burmese|Мьянма,Бирма|бирманский,мьянманский
Namibia|Namibian|Намибия|намибийский
Nepal|Nepalese,Nepali|Непал|непальский,непалец
Netherlands,Holland|Dutch,Dutchman|Нидерланды,Голландия|нидерландский,голландский,голландец
New Zealand|New Zealander|Новая Зеландия|новозеландский,новозеландец
Nicaragua|Nicaraguan|Никарагуа|никарагуанский
Nigeria|Nigerian|Нигерия|нигерийский,нигериец
North Korea,Democratic People's Republic of Korea,DPRK|North Korean|Северная Корея,КНДР,Корейская Народно-Демократическая Республика|северокорейский
North Macedonia,Macedonia|Macedonian|Македония,Северная Македония|македонский,македонец
Northern Ireland|Northern Irish|Северная Ирландия|североирландский
Norway|Norwegian|Норвегия|норвежский,норвежец
Oman|Omani|Оман|оманский
Pakistan|Pakistani|Пакистан|пакистанский,пакистанец
Palestine|Palestinian|Палестина|палестинский,палестинец
Panama|Panamanian|Панама|панамский
Papua New Guinea|Papua New Guinean|Папуа — Новая Гвинея|
Paraguay|Paraguayan|Парагвай|парагвайский
Peru|Peruvian|Перу|перуанский,перуанец
Philippines|Philippine,Filipino|Филиппины|филиппинский,филиппинец
Poland|Polish,Pole|Польша|польский,поляк
Portugal|Portuguese|Португалия|португальский,португалец
Puerto Rico|Puerto Rican|Пуэрто-Рико|пуэрто-риканский,пуэрториканец
Qatar|Qatari|Катар|катарский
Romania|Romanian|Румыния|румынский,румын
Russia,Russian Federation|Russian|Россия,Российская Федерация,РФ|российский,россиянин,русский
Rwanda|Rwandan|Руанда|руандийский
Samoa|Samoan|Самоа|самоанский
Saudi Arabia|Saudi,Saudi Arabian|Саудовская Аравия|саудовский
Scotland|Scottish,Scot|Шотландия|шотландский,шотландец
Senegal|Senegalese|Сенегал|сенегальский
Serbia|Serbian,Serb|Сербия|сербский,серб
Sierra Leone|Sierra Leonean|Сьерра-Леоне|
Singapore|Singaporean|Сингапур|сингапурский
Slovakia,Slovak Republic|Slovak,Slovakian|Словакия|словацкий,словак
Slovenia|Slovenian,Slovene|Словения|словенский,словенец
Somalia|Somali,Somalian|Сомали|сомалийский,сомалиец
South Africa,Republic of South Africa|South African|Южная Африка,ЮАР,Южно-Африканская Республика|южноафриканский
South Korea,Republic of Korea,ROK|South Korean|Южная Корея,Республика Корея|южнокорейский
South Ossetia|South Ossetian|Южная Осетия|югоосетинский
South Sudan,Southern Sudan|South Sudanese|Южный Судан|южносуданский
Soviet Union,USSR,Union of Soviet Socialist Republics|Soviet|Советский Союз,СССР,Союз Советских Социалистических Республик|советский
Spain|Spanish,Spaniard|Испания|испанский,испанец
Sri Lanka,Ceylon|Sri Lankan,Ceylonese|Шри-Ланка,Цейлон|шри-ланкийский,ланкийский
Sudan|Sudanese|Судан|суданский
Suriname|Surinamese|Суринам|суринамский
Sweden|Swedish,Swede|Швеция|шведский,швед
Switzerland,Swiss Confederation|Swiss|Швейцария|швейцарский,швейцарец
Syria,Syrian Arab Republic|Syrian|Сирия|сирийский,сириец
Taiwan|Taiwanese|Тайвань|тайваньский,тайванец
Tajikistan|Tajik|Таджикистан|таджикский,таджик
Tanzania|Tanzanian|Танзания|танзанийский
Thailand,Siam|Thai,Siamese|Таиланд,Тайланд,Сиам|таиландский,тайский,таец
Tibet|Tibetan|Тибет|тибетский,тибетец
Togo|Togolese|Того|тоголезский
Tonga|Tongan|Тонга|
Trinidad and Tobago|Trinidadian|Тринидад и Тобаго|
Tunisia|Tunisian|Тунис|тунисский,тунисец
Turkey,Türkiye,Republic of Turkey|Turkish|Турция|турецкий,турок
Turkmenistan|Turkmen|Туркмения,Туркменистан|туркменский,туркмен
Uganda|Ugandan|Уганда|угандийский
Ukraine|Ukrainian|Украина|украинский,украинец
United Arab Emirates,UAE|Emirati|Объединённые Арабские Эмираты,ОАЭ,Эмираты|эмиратский
United Kingdom,UK,Great Britain,Britain,GB|British,Briton|Великобритания,Соединённое Королевство,Британия|британский,британец
United States,United States of America,USA,US,America|American|США,Соединённые Штаты Америки,Соединённые Штаты,Америка|американский,американец
Uruguay|Uruguayan|Уругвай|уругвайский
Uzbekistan|Uzbek|Узбекистан|узбекский,узбек
Vatican,Vatican City,Holy See||Ватикан,Святой Престол|ватиканский
Venezuela|Venezuelan|Венесуэла|венесуэльский,венесуэлец
Vietnam,Viet Nam|Vietnamese|Вьетнам|вьетнамский,вьетнамец
Wales|Welsh,Welshman|Уэльс|уэльский,валлийский
West Germany||Западная Германия|западногерманский
Yemen|Yemeni|Йемен|йеменский
Yugoslavia|Yugoslav,Yugoslavian|Югославия|югославский,югослав
Zambia|Zambian|Замбия|замбийский
Zimbabwe,Rhodesia|Zimbabwean,Rhodesian|Зимбабве|зимбабвийский
"""  # noqa: E501 - a country is a line


class Country(NamedTuple):
    """A country by its English name, and whether it was named by its adjective or its people."""

    name: str
    people: bool


NO_COUNTRY = Country("", False)


@lru_cache(maxsize=2)
def _index(russian: bool) -> dict[str, list[tuple[tuple[str, ...], Country]]]:
    """The names of all countries in one language as words, by every form of their first word.

    English names alone never load the Russian dictionary.
    """
    index: dict[str, list[tuple[tuple[str, ...], Country]]] = defaultdict(list)
    lang = "ru" if russian else "en"
    for line in _COUNTRIES.strip().splitlines():
        columns = [column.split(",") for column in line.split("|")]
        names, people = columns[2:] if russian else columns[:2]
        for name in filter(None, names + people):
            words = tuple(key(name, lang).split())
            # With the dictionary a single word stands here as its own lemma: 300 look-ups less.
            known = russian and len(words) == 1 and inflection.analyser() is not None
            for form in {words[0]} if known else forms(words[0], lang):
                index[form].append((words, Country(columns[0][0], name in people)))
    return dict(index)


def country(words: Sequence[str]) -> Country:
    """The country that normalised words name, in any case; its name is "" when they name none."""
    if not words or len(words) > 5:
        return NO_COUNTRY
    index = _index(_is_cyrillic(words[0]))
    for form in sorted(forms(words[0])):
        for known, named in index.get(form, ()):
            if len(known) == len(words) and all(
                not forms(word).isdisjoint(forms(other))
                for word, other in zip(words[1:], known[1:], strict=True)
            ):
                return named
    return NO_COUNTRY


@lru_cache(maxsize=512)
def other_names(name: str, like: str) -> tuple[tuple[str, ...], ...]:
    """The names of a country in the script of `like`, without those of its people, as normalised words."""
    index = _index(_is_cyrillic(like))
    return tuple(
        dict.fromkeys(words for known in index.values() for words, named in known if named == (name, False))
    )


def _is_cyrillic(word: str) -> bool:
    return not word.isascii() and any("\u0400" <= letter <= "\u04ff" for letter in word)
