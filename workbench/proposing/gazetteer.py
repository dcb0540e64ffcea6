"""Countries, regions, big cities and peoples in five languages, written from general knowledge.

Entries are separated by `|` or a line end. Looked up casefolded; Russian ones by stem, since a name has up to
twelve case forms.
"""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.proposing.lexicon import stem


def entries(*blocks: str) -> frozenset[str]:
    """The casefolded entries of all blocks."""
    parts = (part.strip().casefold() for block in blocks for part in re.split(r"[|\n]", block))
    return frozenset(part for part in parts if part)


_COUNTRIES_EN = """
Afghanistan|Albania|Algeria|Andorra|Angola|Antigua and Barbuda|Argentina|Armenia|Australia|Austria|Azerbaijan
Bahamas|Bahrain|Bangladesh|Barbados|Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Bosnia and Herzegovina|Bosnia
Botswana|Brazil|Brunei|Bulgaria|Burkina Faso|Burma|Burundi|Cambodia|Cameroon|Canada|Cape Verde|Chad|Chile|China
Colombia|Comoros|Congo|Costa Rica|Croatia|Cuba|Cyprus|Czechia|Czech Republic|Czechoslovakia|Denmark|Djibouti
Dominica|Dominican Republic|East Timor|Ecuador|Egypt|El Salvador|England|Equatorial Guinea|Eritrea|Estonia
Eswatini|Ethiopia|Fiji|Finland|France|Gabon|Gambia|Georgia|Germany|East Germany|West Germany|Ghana|Great Britain
Britain|Greece|Greenland|Grenada|Guatemala|Guinea|Guinea-Bissau|Guyana|Haiti|Honduras|Hong Kong|Hungary|Iceland
India|Indonesia|Iran|Iraq|Ireland|Northern Ireland|Israel|Italy|Ivory Coast|Côte d'Ivoire|Jamaica|Japan|Jordan
Kazakhstan|Kenya|Kiribati|Korea|North Korea|South Korea|Kosovo|Kuwait|Kyrgyzstan|Laos|Latvia|Lebanon|Lesotho
Liberia|Libya|Liechtenstein|Lithuania|Luxembourg|Macau|Macedonia|North Macedonia|Madagascar|Malawi|Malaysia
Maldives|Mali|Malta|Marshall Islands|Mauritania|Mauritius|Mexico|Micronesia|Moldova|Monaco|Mongolia|Montenegro
Morocco|Mozambique|Myanmar|Namibia|Nauru|Nepal|Netherlands|Holland|New Zealand|Nicaragua|Niger|Nigeria|Norway
Oman|Pakistan|Palau|Palestine|Panama|Papua New Guinea|Paraguay|Peru|Philippines|Poland|Portugal|Prussia
Puerto Rico|Qatar|Romania|Russia|Rwanda|Samoa|San Marino|Saudi Arabia|Scotland|Senegal|Serbia|Seychelles
Sierra Leone|Singapore|Slovakia|Slovenia|Solomon Islands|Somalia|South Africa|South Sudan|Soviet Union|USSR|Spain
Sri Lanka|Sudan|Suriname|Sweden|Switzerland|Syria|Taiwan|Tajikistan|Tanzania|Thailand|Togo|Tonga
Trinidad and Tobago|Tunisia|Turkey|Türkiye|Turkmenistan|Tuvalu|Uganda|Ukraine|United Arab Emirates|UAE
United Kingdom|UK|U.K.|United States|United States of America|US|U.S.|USA|U.S.A.|America|Uruguay|Uzbekistan
Vanuatu|Vatican City|Vatican|Venezuela|Vietnam|North Vietnam|South Vietnam|Wales|Yemen|Yugoslavia|Zambia|Zimbabwe
"""
_REGIONS_EN = """
Africa|Antarctica|Arctic|Asia|Europe|North America|South America|Latin America|Oceania|Eurasia|Middle East
Scandinavia|Balkans|Caucasus|Caribbean|Siberia|Sahara|Himalayas|Alps|Andes|Mediterranean|Atlantic|Pacific|Baltic
Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Hawaii|Idaho|Illinois|Indiana
Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana
Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon
Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|West Virginia|Wisconsin
Wyoming|Alberta|British Columbia|Manitoba|New Brunswick|Newfoundland|Nova Scotia|Ontario|Quebec|Saskatchewan|Yukon
New South Wales|Queensland|Tasmania|South Australia|Western Australia|Bavaria|Saxony|Catalonia|Andalusia|Tuscany
Sicily|Sardinia|Lombardy|Normandy|Brittany|Provence|Transylvania|Crimea|Kurdistan|Kashmir|Punjab|Bengal|Kerala
Tamil Nadu|Karnataka|Gujarat|Rajasthan|Maharashtra|Bihar|Tibet|Manchuria|Xinjiang|Yorkshire|Cornwall|Kent|Essex
Amsterdam|Ankara|Athens|Atlanta|Auckland|Baghdad|Bangkok|Barcelona|Beijing|Beirut|Belfast|Belgrade|Berlin|Bern
Birmingham|Bogotá|Bombay|Boston|Bratislava|Brisbane|Brussels|Bucharest|Budapest|Buenos Aires|Cairo|Calcutta
Cape Town|Caracas|Chicago|Cologne|Copenhagen|Dallas|Damascus|Delhi|New Delhi|Denver|Detroit|Dhaka|Dubai|Dublin
Edinburgh|Florence|Frankfurt|Geneva|Glasgow|Hamburg|Hanoi|Havana|Helsinki|Hollywood|Houston|Istanbul|Jakarta
Jerusalem|Johannesburg|Kabul|Karachi|Kiev|Kyiv|Kolkata|Kuala Lumpur|Lagos|Lahore|Las Vegas|Lima|Lisbon|Liverpool
London|Los Angeles|Lyon|Madrid|Manchester|Manila|Marseille|Melbourne|Mexico City|Miami|Milan|Minneapolis|Minsk
Montreal|Moscow|Mumbai|Munich|Nairobi|Naples|New Orleans|Oslo|Ottawa|Oxford|Cambridge|Paris|Perth|Philadelphia
Phoenix|Pittsburgh|Portland|Prague|Pyongyang|Rio de Janeiro|Riga|Riyadh|Rome|Rotterdam|Saint Petersburg
St. Petersburg|San Diego|San Francisco|Santiago|São Paulo|Sarajevo|Seattle|Seoul|Shanghai|Sofia|Stockholm
Stuttgart|Sydney|Taipei|Tallinn|Tashkent|Tbilisi|Tehran|Tel Aviv|Tokyo|Toronto|Tripoli|Tunis|Turin|Vancouver
Venice|Vienna|Vilnius|Warsaw|Washington|Washington, D.C.|Wellington|Yerevan|Zagreb|Zurich|Brooklyn|Manhattan|Kyoto
Osaka|Hiroshima|Agra|Yamuna|Ganges|Nile|Danube|Rhine|Volga|Thames|Amazon|Everest
"""
_DEMONYMS_EN = """
Afghan|African|Albanian|Algerian|American|Angolan|Arab|Arabian|Arabic|Argentine|Argentinian|Armenian|Asian
Australian|Austrian|Azerbaijani|Azeri|Bahamian|Bangladeshi|Barbadian|Basque|Bavarian|Belarusian|Belgian|Bengali
Berber|Bolivian|Bosnian|Brazilian|Breton|British|Bulgarian|Burmese|Byzantine|Cambodian|Cameroonian|Canadian
Cantonese|Caribbean|Catalan|Chadian|Chilean|Chinese|Colombian|Congolese|Cornish|Croatian|Croat|Cuban|Cypriot|Czech
Czechoslovak|Danish|Dominican|Dutch|Ecuadorian|Egyptian|English|Eritrean|Estonian|Ethiopian|European|Fijian
Filipino|Finnish|Flemish|French|Gaelic|Gambian|Georgian|German|Ghanaian|Greek|Greenlandic|Guatemalan|Guinean
Haitian|Hawaiian|Hebrew|Hindi|Hispanic|Honduran|Hungarian|Icelandic|Indian|Indonesian|Iranian|Iraqi|Irish|Israeli
Italian|Ivorian|Jamaican|Japanese|Javanese|Jewish|Jordanian|Kazakh|Kenyan|Korean|Kurdish|Kuwaiti|Kyrgyz|Lao|Latin
Latvian|Lebanese|Liberian|Libyan|Lithuanian|Macedonian|Malagasy|Malawian|Malay|Malaysian|Maldivian|Malian|Maltese
Mandarin|Maori|Māori|Mauritian|Mexican|Moldovan|Mongol|Mongolian|Montenegrin|Moroccan|Mozambican|Namibian|Nepalese
Nepali|Nicaraguan|Nigerian|Nordic|Norse|Norwegian|Ottoman|Pakistani|Palestinian|Panamanian|Paraguayan|Parisian
Pashto|Persian|Peruvian|Polish|Portuguese|Prussian|Puerto Rican|Punjabi|Qatari|Roman|Romanian|Russian|Rwandan
Samoan|Sanskrit|Saudi|Scandinavian|Scottish|Senegalese|Serb|Serbian|Sicilian|Sikh|Singaporean|Slavic|Slovak
Slovene|Slovenian|Somali|South African|South Korean|North Korean|Soviet|Spanish|Sri Lankan|Sudanese|Swahili|Swedish
Swiss|Syrian|Taiwanese|Tajik|Tamil|Tanzanian|Telugu|Thai|Tibetan|Tongan|Tunisian|Turkish|Turkmen|Ugandan|Ukrainian
Urdu|Uruguayan|Uzbek|Venezuelan|Venetian|Vietnamese|Welsh|Yemeni|Yiddish|Yugoslav|Zambian|Zimbabwean|Northern Irish
Anglo-Saxon|Latin American|North American|South American|New Zealander|West German|East German
Africans|Albanians|Americans|Arabs|Armenians|Asians|Australians|Austrians|Belgians|Britons|Bulgarians|Canadians
Catalans|Croats|Cubans|Czechs|Danes|Egyptians|Europeans|Finns|Georgians|Germans|Greeks|Hungarians|Indians|Iranians
Iraqis|Israelis|Italians|Jews|Kurds|Mexicans|Mongols|Norwegians|Ottomans|Pakistanis|Palestinians|Persians|Poles
Romans|Romanians|Russians|Scots|Serbs|Slavs|Slovaks|Soviets|Spaniards|Swedes|Syrians|Tatars|Turks|Ukrainians
Uzbeks|Vikings
"""
_FAITHS_EN = """
Anglican|Baptist|Buddhist|Calvinist|Catholic|Christian|Evangelical|Hindu|Islamic|Jesuit|Lutheran|Methodist|Mormon
Muslim|Orthodox|Presbyterian|Protestant|Quaker|Shia|Sunni|Buddhism|Catholicism|Christianity|Hinduism|Islam|Judaism
Protestantism|Catholics|Christians|Hindus|Muslims|Protestants|Republican|Republicans|Democrat|Democrats
Democratic|Conservative|Communist|Nazi|Nazis
"""
_DE = """
Afghanistan|Ägypten|Albanien|Algerien|Argentinien|Armenien|Aserbaidschan|Äthiopien|Australien|Bangladesch|Belarus
Belgien|Bolivien|Bosnien|Bosnien und Herzegowina|Brasilien|Bulgarien|Chile|China|Dänemark|Deutschland|DDR|BRD
Ecuador|Elfenbeinküste|England|Estland|Finnland|Frankreich|Georgien|Ghana|Griechenland|Großbritannien|Indien
Indonesien|Irak|Iran|Irland|Island|Israel|Italien|Jamaika|Japan|Jemen|Jordanien|Jugoslawien|Kambodscha|Kamerun
Kanada|Kasachstan|Katar|Kenia|Kirgisistan|Kolumbien|Kongo|Kosovo|Kroatien|Kuba|Kuwait|Lettland|Libanon|Libyen
Liechtenstein|Litauen|Luxemburg|Madagaskar|Malaysia|Malta|Marokko|Mexiko|Moldau|Monaco|Mongolei|Montenegro
Myanmar|Nepal|Neuseeland|Niederlande|Nigeria|Nordkorea|Nordmazedonien|Norwegen|Österreich|Pakistan|Palästina|Panama
Paraguay|Peru|Philippinen|Polen|Portugal|Preußen|Rumänien|Russland|Saudi-Arabien|Schottland|Schweden|Schweiz
Senegal|Serbien|Simbabwe|Singapur|Slowakei|Slowenien|Somalia|Sowjetunion|Spanien|Sri Lanka|Südafrika|Sudan|Südkorea
Syrien|Tadschikistan|Taiwan|Tansania|Thailand|Tibet|Tschechien|Tschechoslowakei|Tunesien|Türkei|Turkmenistan
Uganda|Ukraine|Ungarn|Uruguay|USA|Usbekistan|Vatikan|Venezuela|Vereinigte Staaten|Vereinigtes Königreich|Vietnam
Wales|Weißrussland|Zypern|Afrika|Amerika|Asien|Europa|Südamerika|Nordamerika|Antarktis|Baden-Württemberg|Bayern
Brandenburg|Hessen|Niedersachsen|Nordrhein-Westfalen|Rheinland-Pfalz|Saarland|Sachsen|Sachsen-Anhalt
Schleswig-Holstein|Thüringen|Tirol|Kärnten|Steiermark|Böhmen|Schlesien|Elsass|Berlin|Hamburg|München|Köln|Wien
Frankfurt|Stuttgart|Düsseldorf|Dortmund|Essen|Leipzig|Dresden|Hannover|Nürnberg|Bremen|Bonn|Mainz|Kiel|Graz|Linz
Salzburg|Innsbruck|Zürich|Genf|Basel|Bern|Paris|London|Rom|Mailand|Venedig|Neapel|Florenz|Madrid|Lissabon|Brüssel
Amsterdam|Kopenhagen|Stockholm|Oslo|Helsinki|Warschau|Prag|Budapest|Bukarest|Sofia|Belgrad|Athen|Moskau|Kiew
Peking|Tokio|Washington|New York|Jerusalem|Kairo|Rhein|Donau|Elbe|Alpen|Ostsee|Nordsee|Bodensee|Mittelmeer
Franzosen|Briten|Russen|Polen|Italiener|Spanier|Türken|Amerikaner|Österreicher|Schweizer|Engländer|Griechen|Römer
Juden|Christen|Muslime|Katholiken|Protestanten|Ukrainer|Chinesen|Japaner|Niederländer|Schweden|Dänen|Ungarn
"""
_FR = """
Afghanistan|Afrique du Sud|Albanie|Algérie|Allemagne|Angleterre|Arabie saoudite|Argentine|Arménie|Australie
Autriche|Azerbaïdjan|Belgique|Biélorussie|Bolivie|Bosnie|Brésil|Bulgarie|Cambodge|Cameroun|Canada|Chili|Chine
Chypre|Colombie|Congo|Corée du Nord|Corée du Sud|Costa Rica|Côte d'Ivoire|Croatie|Cuba|Danemark|Écosse|Égypte
Équateur|Espagne|Estonie|États-Unis|Éthiopie|Finlande|France|Gabon|Géorgie|Ghana|Grèce|Guinée|Haïti|Hongrie|Inde
Indonésie|Irak|Iran|Irlande|Islande|Israël|Italie|Jamaïque|Japon|Jordanie|Kazakhstan|Kenya|Lettonie|Liban|Libye
Lituanie|Luxembourg|Macédoine|Madagascar|Malaisie|Mali|Malte|Maroc|Mauritanie|Mexique|Moldavie|Monaco|Mongolie
Monténégro|Népal|Niger|Nigeria|Norvège|Nouvelle-Zélande|Ouganda|Pakistan|Palestine|Panama|Paraguay|Pays-Bas
Pays de Galles|Pérou|Philippines|Pologne|Portugal|Qatar|République tchèque|Roumanie|Royaume-Uni|Russie|Rwanda
Sénégal|Serbie|Singapour|Slovaquie|Slovénie|Somalie|Soudan|Suède|Suisse|Syrie|Tanzanie|Tchad|Thaïlande|Tunisie
Turquie|Ukraine|URSS|Union soviétique|Uruguay|Venezuela|Viêt Nam|Vietnam|Yémen|Yougoslavie|Zambie|Zimbabwe
Afrique|Amérique|Amérique du Sud|Amérique du Nord|Asie|Europe|Océanie|Bretagne|Normandie|Alsace|Corse|Bourgogne
Paris|Lyon|Marseille|Bordeaux|Toulouse|Lille|Strasbourg|Nice|Nantes|Bruxelles|Genève|Londres|Berlin|Rome|Moscou
Vienne|Athènes|Le Caire|Pékin|Lisbonne|Varsovie|Québec|Montréal
Français|Anglais|Allemands|Espagnols|Italiens|Américains|Russes|Belges|Suisses|Chinois|Japonais
"""
_ES = """
Afganistán|Albania|Alemania|Andorra|Angola|Arabia Saudita|Arabia Saudí|Argelia|Argentina|Armenia|Australia|Austria
Azerbaiyán|Bélgica|Bielorrusia|Birmania|Bolivia|Bosnia|Brasil|Bulgaria|Camboya|Camerún|Canadá|Chile|China|Chipre
Colombia|Congo|Corea del Norte|Corea del Sur|Costa Rica|Croacia|Cuba|Dinamarca|Ecuador|Egipto|El Salvador
Emiratos Árabes Unidos|Escocia|Eslovaquia|Eslovenia|España|Estados Unidos|Estonia|Etiopía|Filipinas|Finlandia
Francia|Gales|Georgia|Ghana|Gran Bretaña|Grecia|Guatemala|Haití|Honduras|Hungría|India|Indonesia|Inglaterra|Irak
Irán|Irlanda|Islandia|Israel|Italia|Jamaica|Japón|Jordania|Kazajistán|Kenia|Letonia|Líbano|Libia|Lituania
Luxemburgo|Malasia|Malta|Marruecos|México|Moldavia|Mónaco|Mongolia|Montenegro|Mozambique|Nepal|Nicaragua|Nigeria
Noruega|Nueva Zelanda|Países Bajos|Pakistán|Palestina|Panamá|Paraguay|Perú|Polonia|Portugal|Puerto Rico|Catar
Reino Unido|República Checa|República Dominicana|Rumania|Rumanía|Rusia|Senegal|Serbia|Singapur|Siria|Somalia
Sudáfrica|Sudán|Suecia|Suiza|Tailandia|Taiwán|Túnez|Turquía|Ucrania|Uganda|Unión Soviética|Uruguay|Venezuela
Vietnam|Yemen|Yugoslavia|Zimbabue|África|América|América Latina|América del Sur|Asia|Europa|Oceanía|Andalucía
Cataluña|Galicia|País Vasco|Castilla|Aragón|Navarra|Madrid|Barcelona|Sevilla|Valencia|Bilbao|Zaragoza|Málaga|Londres
París|Roma|Berlín|Moscú|Lisboa|Bogotá|Lima|Quito|Caracas|La Habana|Buenos Aires|Montevideo|Santiago
Brasile|Francia|Germania|Inghilterra|Spagna|Stati Uniti|Giappone|Cina|Milano|Torino|Napoli|Firenze|Venezia|Roma
Sicilia|Alemanha|França|Estados Unidos|Itália|Japão|Lisboa|Londres|Rio de Janeiro|Brasília|Reino Unido
"""
_OTHER = """
Việt Nam|Hà Nội|Trung Quốc|Nhật Bản|Hàn Quốc|Triều Tiên|Ấn Độ|Thái Lan|Đức|Pháp|Mỹ|Hoa Kỳ|Luân Đôn|Châu Âu|Châu Á
Türkiye|Almanya|Fransa|İngiltere|İtalya|İspanya|Rusya|Yunanistan|Amerika|Avrupa|Londra|Berlin|İstanbul|Ankara
România|Germania|Franța|Anglia|Italia|Spania|Rusia|Ungaria|Grecia|Statele Unite|București|Londra
Polska|Niemcy|Francja|Anglia|Włochy|Hiszpania|Rosja|Warszawa|Kraków|Duitsland|Frankrijk|Nederland|België|Engeland
"""
_RU = """
Австралия|Австрия|Азербайджан|Албания|Алжир|Америка|Ангола|Англия|Андорра|Антарктида|Аргентина|Армения|Афганистан
Африка|Азия|Бангладеш|Бахрейн|Беларусь|Белоруссия|Бельгия|Бенин|Болгария|Боливия|Босния|Ботсвана|Бразилия
Британия|Великобритания|Венгрия|Венесуэла|Вьетнам|Габон|Гаити|Гана|Гватемала|Гвинея|Германия|Голландия|Гондурас
Гренландия|Греция|Грузия|Дания|Евразия|Европа|Египет|Замбия|Зимбабве|Израиль|Индия|Индонезия|Иордания|Ирак|Иран
Ирландия|Исландия|Испания|Италия|Йемен|Казахстан|Камбоджа|Камерун|Канада|Катар|Кения|Кипр|Киргизия|Кыргызстан
Китай|Колумбия|Конго|Корея|Косово|Куба|Кувейт|Лаос|Латвия|Ливан|Ливия|Литва|Лихтенштейн|Люксембург|Мадагаскар
Македония|Малайзия|Мали|Мальта|Марокко|Мексика|Мозамбик|Молдавия|Молдова|Монако|Монголия|Мьянма|Намибия|Непал
Нигер|Нигерия|Нидерланды|Никарагуа|Норвегия|Оман|Пакистан|Палестина|Панама|Парагвай|Перу|Польша|Португалия|Пруссия
Россия|РФ|СССР|РСФСР|КНР|КНДР|ФРГ|ГДР|ОАЭ|ЮАР|США|Руанда|Румыния|Сальвадор|Сенегал|Сербия|Сингапур|Сирия|Словакия
Словения|Сомали|Судан|Таджикистан|Таиланд|Тайвань|Танзания|Того|Тунис|Туркмения|Туркменистан|Турция|Уганда
Узбекистан|Украина|Уругвай|Филиппины|Финляндия|Франция|Хорватия|Чад|Черногория|Чехия|Чехословакия|Чили|Швейцария
Швеция|Шотландия|Эквадор|Эритрея|Эстония|Эфиопия|Югославия|Ямайка|Япония|Абхазия|Осетия|Чечня|Дагестан|Ингушетия
Татарстан|Башкирия|Башкортостан|Карелия|Якутия|Бурятия|Калмыкия|Крым|Сибирь|Урал|Кавказ|Поволжье|Донбасс
Прибалтика|Приднестровье|Москва|Петербург|Санкт-Петербург|Ленинград|Новосибирск|Екатеринбург|Казань|Самара|Омск
Челябинск|Ростов|Уфа|Красноярск|Пермь|Воронеж|Волгоград|Саратов|Краснодар|Сочи|Тюмень|Иркутск|Хабаровск
Владивосток|Калининград|Мурманск|Архангельск|Ярославль|Тула|Рязань|Тверь|Смоленск|Киев|Харьков|Одесса|Львов|Донецк
Минск|Гомель|Алматы|Астана|Ташкент|Бишкек|Душанбе|Ашхабад|Баку|Ереван|Тбилиси|Рига|Вильнюс|Таллин|Таллинн|Кишинёв
Кишинев|Варшава|Прага|Братислава|Будапешт|Бухарест|София|Белград|Загреб|Афины|Рим|Милан|Венеция|Париж|Лондон
Берлин|Мюнхен|Гамбург|Франкфурт|Вена|Цюрих|Женева|Брюссель|Амстердам|Гаага|Стокгольм|Осло|Хельсинки|Копенгаген
Мадрид|Барселона|Лиссабон|Дублин|Эдинбург|Стамбул|Анкара|Иерусалим|Тегеран|Багдад|Дамаск|Каир|Кабул|Исламабад|Дели
Мумбаи|Пекин|Шанхай|Гонконг|Токио|Сеул|Пхеньян|Бангкок|Ханой|Сидней|Вашингтон|Нью-Йорк|Чикаго|Лос-Анджелес
Калифорния|Техас|Флорида|Аляска|Торонто|Мехико|Гавана|Каракас|Лима|Волга|Нева|Дон|Днепр|Байкал|Амур|Енисей
|Дунай|Рейн|Нил|Земля|Луна|Марс
"""
_UK = """
Україна|Росія|Польща|Німеччина|Франція|Великобританія|Англія|Італія|Іспанія|Америка|Європа|Азія|Африка|Київ|Києва
Києві|Львів|Харків|Одеса|Дніпро|Крим|Донбас|США|СРСР|Туреччина|Китай|Японія|Канада|Австрія|Угорщина|Румунія
Молдова|Білорусь|Литва|Латвія|Естонія|Москва|Лондон|Париж|Берлін|Варшава|Відень|Рим
"""

_ORGANISATIONS = """
Adidas|Airbus|Al-Qaeda|Amazon|AMD|Apple|AT&T|Atari|Audi|BBC|Bloomberg|BMW|Boeing|BP|CBS|CIA|Cisco|CNN|Coca-Cola
Columbia Records|Daimler|Disney|eBay|ESPN|EU|European Union|Facebook|FBI|Ferrari|FIFA|Ford|Fox|France-Presse|Gazprom
General Electric|General Motors|Gmail|Google|Greenpeace|Harvard|HBO|Hezbollah|Hewlett-Packard|Honda|HSBC|Huawei
Hyundai|IBM|IKEA|IMF|Intel|Interpol|ISIS|Kodak|Lockheed Martin|Lufthansa|McDonald's|Mercedes-Benz|Microsoft
Mitsubishi|Motorola|MTV|NASA|NATO|NBA|NBC|Netflix|NFL|NHL|Nike|Nintendo|Nissan|Nokia|OPEC|Oracle|Panasonic|PepsiCo
Pfizer|Philips|Porsche|Reuters|Samsung|Sega|Shell|Siemens|Sony|SpaceX|Spotify|Starbucks|Taliban|Tesla|Toyota
Twitter|Ubisoft|UEFA|UNESCO|UNICEF|Unilever|United Nations|UN|Vodafone|Volkswagen|Volvo|Walmart|WHO|Wikipedia|Yahoo
YouTube|Bayern München|Real Madrid|Manchester United|ABBA|Nirvana|Metallica|Bundestag|Bundesrat|SPD|CDU|CSU|FDP
ООН|НАТО|ЕС|Евросоюз|ФСБ|МВД|МИД|МЧС|КГБ|НКВД|СНГ|ОБСЕ|ЮНЕСКО|ФИФА|УЕФА|ФИДЕ|НАСА|ЦРУ|ФБР|ВОЗ|МВФ|МГУ|РАН|РЖД
Газпром|Роснефть|Лукойл|Сбербанк|Аэрофлот|ТАСС|Яндекс|Госдума|Дума|Интерпол|Спартак|Динамо|ЦСКА|Локомотив|Зенит
Минобороны|Минфин|Минздрав|Росатом|Роскосмос|Интерфакс|Рейтер|Гугл|Майкрософт|Фольксваген|Мерседес|КПСС|КПРФ
Интернет|Хамас|Хезболла|Талибан|Аль-Каида|Кремль
"""

LATIN_PLACES = entries(_COUNTRIES_EN, _REGIONS_EN, _DE, _FR, _ES, _OTHER)
ORGANISATIONS = entries(_ORGANISATIONS)
ORGANISATION_STEMS = frozenset(stem(entry) for entry in ORGANISATIONS if entry > "а")
DEMONYMS = entries(_DEMONYMS_EN)
FAITHS = entries(_FAITHS_EN)
CYRILLIC_PLACES = frozenset(stem(entry) for entry in entries(_RU, _UK))
# Words that are also common nouns in German or names of people: no evidence there.
COMMON_IN_GERMAN = entries("Essen|Kiel|Linz|Bern|Hessen|Mainz|Amazon")


@lru_cache(maxsize=16384)
def is_place(name: str) -> bool:
    """Whether a name as it stands in a text is a known country, region or city."""
    if name.islower():
        return False
    folded = name.casefold()
    if folded in LATIN_PLACES:
        return True
    return "\u0400" <= folded[:1] < "\u0530" and stem(folded) in CYRILLIC_PLACES


@lru_cache(maxsize=16384)
def is_people(name: str) -> bool:
    """Whether a name, or each part of a hyphenated one, is a known demonym or language."""
    folded = name.casefold()
    if name.islower():
        return False
    return folded in DEMONYMS or ("-" in folded and all(part in DEMONYMS for part in folded.split("-")))


@lru_cache(maxsize=16384)
def is_organisation(name: str) -> bool:
    """Whether a name is a widely known organisation."""
    folded = name.casefold()
    if name.islower():
        return False
    return folded in ORGANISATIONS or (
        "\u0400" <= folded[:1] < "\u0530" and stem(folded) in ORGANISATION_STEMS
    )


def is_faith(name: str) -> bool:
    """Whether a name is a known faith, party adjective or the like."""
    return not name.islower() and name.casefold() in FAITHS
