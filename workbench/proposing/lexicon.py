"""Word lists of the rules proposer, written from general knowledge; all entries casefolded."""

from __future__ import annotations

import re
from functools import lru_cache

_ENDING = re.compile(
    "(?:ами|ями|ого|ему|ому|ыми|ими|ией|иях|иям|ов|ев|ей|ой|ою|ею|ом|ем|ём|ам|ям|ах|ях|ию|ии|ия|ий|[аяуюеёиыоійьї])$"
)


def words(*blocks: str) -> frozenset[str]:
    """The whitespace-separated words of all blocks."""
    return frozenset(word for block in blocks for word in block.casefold().split())


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A Cyrillic word, casefolded, without its case ending; at least two letters stay."""
    word = word.casefold()
    cut = _ENDING.search(word)
    return word[: cut.start()] if cut and cut.start() >= 2 else word


# Small words that may stand inside a name: they join the capitals around them.
PARTICLES = words(
    """of de du des del della delle dello dei degli di da do dos das d' l' dell' la le el los las lo van von
    vom der den dem ter ten te zu zur zum bin ibn bint al ad ul ud y e i av af og och och ap ab бин ибн
    фон ван дер де да ди дель ла эль"""
)
# Words that join only the name of an organisation, a work or an event.
WEAK_PARTICLES = words("and for & with und für et pour en y para e per и по для при à aux")

# Titles before a person; cut off the name, and a sign of one.
HONORIFICS = words(
    """mr mrs ms miss dr prof professor sir dame lord lady rev reverend fr sen rep gov gen col maj capt lt
    sgt adm herr frau doktor señor señora don doña monsieur madame mme signor signora г-н г-жа господин
    госпожа мистер миссис сэр лорд"""
)
# Offices and trades: no name by themselves, followed by one, by "of" and one, or by a genitive.
ROLES = words(
    """president vice-president vice chancellor premier prime king queen prince princess duke duchess
    emperor empress tsar czar pope cardinal bishop archbishop general colonel major captain lieutenant
    sergeant admiral commander marshal judge justice sheikh sultan minister secretary ambassador mayor
    chairman chairwoman chair director count countess baron baroness senator representative governor
    congressman congresswoman deputy leader member speaker spokesman spokeswoman head chief coach manager
    editor founder officer executive ceo professor actor actress singer author writer director producer
    journalist composer poet painter architect philosopher historian scientist physicist physician rapper
    guitarist drummer footballer senior junior assistant associate acting striker goalkeeper captain
    former co-founder attorney sheriff inspector detective sergeant pastor rabbi imam lecturer fellow
    dean provost""",
    """präsident präsidentin bundespräsident kanzler kanzlerin bundeskanzler bundeskanzlerin könig königin
    kaiser minister ministerin außenminister innenminister papst graf fürst herzog bürgermeister
    oberbürgermeister ministerpräsident professor regisseur schauspieler sänger autor trainer chef""",
    """président présidente roi reine ministre maire presidente presidenta rey reina ministro alcalde""",
    """президент вице-президент премьер премьер-министр министр замминистр госсекретарь канцлер король
    королева царь царица князь граф император генерал адмирал маршал полковник майор капитан папа
    патриарх митрополит архиепископ епископ посол глава лидер председатель зампред директор гендиректор
    депутат сенатор губернатор мэр губернатору спикер представитель секретарь пресс-секретарь
    руководитель основатель создатель автор актер актёр актриса певец певица писатель поэт художник
    режиссер режиссёр композитор журналист ученый учёный ученые учёные житель жители житель власти
    эксперт эксперты врачи тренер полузащитник защитник нападающий вратарь форвард чемпион победитель
    обладатель столица гражданин граждане адвокат судья прокурор следователь депутаты экс-президент
    бывший""",
)
_ROLE_STEMS = frozenset(stem(word) for word in ROLES if word > "а")
# Words before an office: Foreign Minister, Crown Prince.
MODIFIERS = words(
    "foreign home interior finance defence defense crown prime vice deputy chief first attorney lord grand"
)
# Offices that part a country from a person inside a run: US President Barack Obama.
OFFICES = words(
    """president premier minister emperor empress sultan tsar czar pope senator governor ambassador
    chancellor general admiral colonel captain judge justice representative congressman secretary coach
    actor actress singer author director sir dr mr mrs king queen prince princess"""
)


@lru_cache(maxsize=16384)
def is_title(word: str) -> bool:
    """Whether a word, or each part of a compound, is an honorific, an office or a trade."""
    folded = word.casefold().rstrip(".")
    if folded in HONORIFICS or folded in ROLES:
        return True
    if folded > "а" and (stem(folded) in _ROLE_STEMS or folded.startswith(("экс-", "вице-"))):
        return True
    parts = folded.split("-")
    return len(parts) > 1 and all(part in ROLES or part in HONORIFICS for part in parts)


EPITHETS = words("great terrible elder younger conqueror bold magnificent fat pious wise good bald lionheart")
# A dot after these ends no name.
ABBREVIATIONS = words(
    "st mt ft jr sr dr mr mrs ms prof gen col sgt capt lt rev hon gov sen rep vs им св ул пл пр"
)
HYPHEN_TAILS = words("based born led era like type made run held old wide area only free")
COMPANY_ENDINGS = words("inc ltd llc plc jr sr corp co limited gmbh s.a")
POSSESSED = words("college church school hospital cathedral court day park prize university club")
# What ministries and committees are about: "and" after one of these stands inside a name.
TOPICS = words(
    """health education trade commerce industry energy science technology culture sport sports labour labor
    finance agriculture food air land water planning research development defence defense security safety
    environment housing transport justice information communications arts crafts human social science
    engineering electric industrial commercial army navy women children youth family fish wildlife parks
    recreation tourism oil gas industria comercio educación santé travaux wirtschaft"""
)

ORGANISATION = words(
    """university college school institute institution academy faculty department ministry office agency
    bureau commission committee council board authority administration service services court parliament
    congress senate assembly government cabinet party union league federation confederation association
    society organisation organization foundation fund trust alliance coalition movement front club team
    fc afc cf united city-fc orchestra philharmonic choir band brothers company co corp corporation inc
    ltd llc plc gmbh ag kg se group holdings holding industries enterprises partners bank insurance
    airlines airways records recordings entertainment pictures studios studio productions films press
    publishing publishers media network networks channel broadcasting radio television tv news times post
    journal gazette herald tribune newspaper magazine laboratory laboratories hospital clinic church
    diocese archdiocese order army navy force forces corps brigade regiment battalion squadron division
    guard police museum library theatre theater gallery centre center systems technologies software
    motors motor electric electronics energy oil gas railways railway rail lines foods products brewery
    stores store community communities nations house-of-representatives chamber conference legion guild
    secretariat directorate tribunal consortium""",
    """universität hochschule institut akademie ministerium amt behörde kommission ausschuss rat gericht
    parlament bundestag bundesrat regierung partei verein verband bund gesellschaft stiftung bank
    kirche orchester museum theater verlag zeitung armee polizei klub konzern unternehmen werke""",
    """université école collège institut académie ministère agence commission comité conseil cour parlement
    parti syndicat ligue fédération société fondation banque église orchestre musée théâtre armée
    universidad escuela instituto academia ministerio agencia comisión comité consejo corte tribunal
    parlamento partido sindicato liga federación sociedad fundación banco iglesia orquesta museo teatro
    ejército club frente università scuola istituto accademia ministero agenzia partito federazione banca
    universidade escola ministério agência partido federação""",
)

PLACE = words(
    """river lake sea ocean bay gulf strait channel-islands mount mountain mountains mt hill hills valley
    desert forest park island islands isle isles peninsula cape coast beach city town village county
    parish district province state region territory republic kingdom empire canton prefecture oblast krai
    street road avenue boulevard square bridge airport station port harbor harbour castle palace tower
    temple cathedral basilica abbey monastery stadium arena hall building dam canal falls glacier
    plateau plain basin range peak pass creek bayou reservoir ridge point heights township borough
    municipality commune quarter neighbourhood neighborhood north south east west northern southern
    eastern western central fort camp woods gardens cemetery shire reserve""",
    """fluss see meer berg tal wald insel inseln stadt dorf kreis landkreis straße platz brücke flughafen
    bahnhof schloss burg turm dom""",
    """rivière fleuve lac mer océan golfe mont montagne montagnes vallée désert forêt île îles ville village
    rue avenue place pont aéroport gare château tour cathédrale département région
    río lago mar océano golfo monte montaña valle desierto isla islas ciudad pueblo calle plaza puente
    aeropuerto castillo torre catedral provincia departamento rio fiume isola città via piazza ponte""",
)

EVENT = words(
    """war wars battle siege revolution rebellion revolt uprising crisis olympics olympic games championship
    championships cup open masters festival contest tournament prix marathon derby election elections
    referendum massacre treaty conference-of earthquake hurricane cyclone pandemic plague famine
    renaissance reformation enlightenment holocaust expo exposition fair awards award ceremony campaign
    tour parade crusade crusades restoration coup riots incident affair
    krieg schlacht revolution weltkrieg olympiade weltmeisterschaft meisterschaft festspiele pokal
    guerre bataille révolution guerra batalla batalha battaglia revolución rivoluzione copa coupe coppa"""
)

# Russian heads and their kind; compared by stem.
_RUSSIAN = {
    "organisation": words(
        """министерство комитет совет федерация агентство институт университет академия фонд союз партия
        банк суд служба управление департамент комиссия палата дума сенат конгресс парламент
        правительство ассамблея ассоциация организация корпорация концерн компания холдинг группа
        объединение общество фронт движение лига клуб сборная команда театр музей библиотека оркестр
        церковь церкви епархия патриархат армия флот полиция прокуратура администрация посольство
        консульство центр лаборатория завод фабрика издательство газета журнал телеканал радио кабинет
        ведомство бюро штаб отделение училище школа колледж гимназия больница госпиталь клиника редакция
        инспекция совета трибунал братство"""
    ),
    "place": words(
        """океан море озеро река горы остров острова полуостров мыс пролив залив область край район округ
        город село деревня посёлок поселок улица площадь проспект бульвар переулок шоссе мост вокзал
        аэропорт космодром дворец дворца дом замок замка крепость собор храм монастырь парк лес пустыня
        долина республика королевство империя штат провинция графство княжество побережье станция кольцо
        набережная восток запад кавказ азия европа америка корея"""
    ),
    "event": words(
        """война битва революция восстание чемпионат олимпиада кубок кубка фестиваль конкурс турнир игры игр
        премия форум саммит"""
    ),
}
_RUSSIAN_STEMS = {stem(word): label for label, listed in _RUSSIAN.items() for word in listed}


@lru_cache(maxsize=16384)
def russian_head(word: str) -> str:
    """The label a Russian head noun, in any case form, gives its name, or ""."""
    if word.casefold().startswith("мэри"):  # its stem is that of мэр, the mayor
        return "organisation"
    return _RUSSIAN_STEMS.get(stem(word), "")


# What a definition calls a person, beside the offices above.
TRADES = words(
    """politician player racer skater swimmer runner athlete cyclist boxer wrestler cricketer golfer driver
    jockey gymnast rower sprinter mathematician chemist biologist economist lawyer attorney businessman
    businesswoman entrepreneur engineer inventor explorer navigator soldier pilot astronaut cosmonaut
    model dancer musician pianist violinist organist conductor songwriter vocalist bassist saxophonist
    trumpeter drummer dj novelist playwright screenwriter essayist critic translator publisher filmmaker
    cinematographer animator cartoonist illustrator sculptor photographer designer comedian comedienne
    entertainer presenter host broadcaster anchor columnist theologian missionary monk nun saint prophet
    nurse surgeon psychologist psychiatrist sociologist anthropologist archaeologist linguist astronomer
    botanist zoologist naturalist geographer geologist activist suffragist revolutionary rebel outlaw
    criminal murderer serial-killer spy diplomat nobleman noblewoman aristocrat ruler monarch heir son
    daughter brother sister father mother wife husband child man woman boy girl person actor-director
    teacher educator scholar academic librarian banker merchant farmer chef restaurateur magician winner
    recipient candidate nominee representative racing-driver manager quarterback pitcher midfielder
    defender forward goalkeeper winger coach referee umpire administrator schauspieler schauspielerin
    politiker politikerin schriftsteller schriftstellerin sänger sängerin maler fußballspieler komponist
    mathematiker physiker arzt jurist unternehmer acteur actrice chanteur chanteuse écrivain homme femme
    joueur peintre político escritor escritora cantante futbolista pintor actor actriz músico политик
    писатель поэт певец певица актёр актер актриса художник композитор учёный ученый физик математик
    футболист хоккеист спортсмен спортсменка журналист режиссёр режиссер бизнесмен предприниматель юрист
    врач историк философ генерал полковник солдат космонавт деятель"""
)
# What a definition calls anything else.
NOUNS: dict[str, str] = {
    word: label
    for label, listed in {
        "place": words(
            """city town village hamlet suburb municipality commune settlement community district county
            province state region territory country island islands archipelago peninsula river stream
            creek tributary lake bay sea ocean gulf strait mountain mountains volcano hill peak range
            valley plain plateau desert forest park reserve road highway motorway street avenue bridge
            tunnel airport station railway line building tower skyscraper house palace castle fort
            fortress church cathedral abbey temple mosque monastery cemetery stadium arena venue mall
            hotel dam canal port harbor harbour beach cape glacier neighborhood neighbourhood borough
            parish locality barangay prefecture department canton oblast place reservation capital resort
            crater asteroid planet star galaxy moon stadt gemeinde dorf fluss berg insel ville commune
            rivière ciudad municipio río город село деревня река озеро остров страна республика столица
            посёлок"""
        ),
        "organisation": words(
            """company corporation firm manufacturer retailer brand band group duo trio quartet orchestra
            choir ensemble organization organisation association society institution institute university
            college school academy agency bank airline newspaper magazine journal broadcaster network
            channel label studio publisher team club franchise party union federation league committee
            commission council ministry department hospital museum library charity foundation church
            order unit regiment brigade division squadron consortium subsidiary provider operator
            distributor startup think-tank unternehmen verein partei band entreprise groupe empresa
            partido banda компания партия группа клуб организация банк университет газета журнал"""
        ),
        "work": words(
            """film movie documentary album song single track ep novel book poem play musical opera symphony
            ballet painting sculpture series sitcom show program programme episode game comic manga anime
            magazine-story story memoir autobiography soundtrack compilation sequel adaptation anthology
            trilogy video hymn treatise essay poem-cycle miniseries cartoon franchise-film roman
            spielfilm lied livre chanson película canción libro фильм роман песня альбом книга сериал
            картина опера пьеса поэма рассказ"""
        ),
        "event": words(
            """war battle siege conflict campaign uprising rebellion revolt revolution coup massacre riot
            strike election referendum festival tournament championship competition contest race match
            season cup conference summit exhibition fair ceremony earthquake hurricane cyclone flood
            disaster pandemic epidemic treaty incident scandal controversy krieg schlacht guerre bataille
            guerra batalla война битва турнир фестиваль чемпионат конкурс"""
        ),
        "other": words(
            """species genus family subfamily breed plant tree fish bird moth butterfly beetle spider snake
            language dialect alphabet script concept term theory theorem method technique algorithm
            protocol standard format software system engine platform device console smartphone phone car
            vehicle aircraft missile tank ship destroyer submarine yacht locomotive rifle gun drug
            medication compound mineral rock disease disorder syndrome infection virus dish drink beer
            wine cheese cake soup award prize medal title religion denomination movement style genre
            dance sport surname name word phrase letter deity god goddess character law act statute bill
            constitution clause people tribe clan dynasty cocktail"""
        ),
    }.items()
    for word in listed
}
