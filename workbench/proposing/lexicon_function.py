"""Words that name nothing: they open sentences, end names, and are cut off a run."""

from __future__ import annotations

from functools import lru_cache

from workbench.proposing.lexicon import words

_EN = words(
    """a an the this that these those he she it its they we you i his her their our your my him them us me
    who whom whose which what where when why how in on at by for from to of with without within into onto
    over under after before since until till during between among against through throughout across about
    above below beside besides beyond near off out up down around along and or but nor so yet if as than
    then thus hence though although because while whereas unless is are was were be been being am do does
    did has have had having can could will would shall should may might must not no yes also both either
    neither each every all any some many much most more less few several other others another such same
    only just even still again once twice often usually sometimes always never later earlier early late
    now today yesterday tomorrow here there however moreover furthermore additionally meanwhile instead
    therefore otherwise nevertheless nonetheless despite according following like unlike upon per via
    except including let's it's he's she's that's there's i'm don't didn't doesn't isn't wasn't can't
    won't well oh ah ok please thanks originally currently recently eventually finally initially
    generally typically formerly previously subsequently soon together overall apart ever someone
    everyone everybody nobody nothing something anything everything himself herself itself themselves
    given based due"""
)
_DE = words(
    """der die das den dem des ein eine einen einem einer eines und oder aber denn doch sondern ich du er
    sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein dein sein unser euer ihre ihrer ihrem
    ihren seine seiner seinem seinen im in am an auf aus bei beim mit nach von vom zu zum zur über unter
    vor hinter neben zwischen durch für gegen ohne um seit während wegen trotz bis als wie wenn weil dass
    daß ob obwohl damit nachdem bevor ist sind war waren wird werden wurde wurden hat haben hatte hatten
    kann können konnte soll sollte muss müssen nicht kein keine auch noch nur schon sehr mehr hier dort
    da dann so jedoch heute gestern morgen jetzt später zuerst danach dabei dadurch dafür daher darum
    deshalb diese dieser dieses diesen diesem jene jener welche welcher was wer wo wann warum man sich
    alle viele einige beide andere laut außerdem zudem allerdings insgesamt bereits etwa rund zwei drei
    vier fünf sechs sieben acht neun zehn"""
)
_FR = words(
    """le la les l' un une des du de et ou mais donc or ni car je tu il elle on nous vous ils elles ce cet
    c' cette ces son sa ses leur leurs mon ma mes dans sur sous avec sans pour par en au aux à chez entre
    depuis pendant après avant est sont était étaient être a ont avait fut qui que quoi dont où comme si
    ne pas plus très aussi ainsi alors puis selon cependant toutefois lors d' qu' s' n' j'"""
)
_ES = words(
    """el la los las un una unos unas de del y e o u pero sino yo tú él ella ello nosotros ellos ellas este
    esta esto estos estas ese esa su sus mi mis con sin para por desde hasta sobre entre según durante
    tras ante en es son era eran fue fueron ser está están ha han había como cuando donde quien cual cuyo
    no sí más muy también así aunque porque mientras si se lo al a hoy ayer además después antes luego
    entonces todo toda todos todas"""
)
_IT = words(
    """il lo la gli le i un uno una di del dei delle degli della dello nel nella nei sul sulla dal dalla da
    su con per tra fra ma se che chi cui suo sua suoi è sono era erano fu furono anche questo questa
    questi quello non e o in a al alla come quando dove"""
)
_PT = words(
    """o a os as um uma uns umas do da dos das no na nos nas ao à aos pelo pela em com sem por para foi
    foram são seu sua seus suas este esta isso isto aquele ele ela eles elas não mais também e ou mas de
    que se como quando onde"""
)
_OTHER = {
    "nl": "de het een van voor met op te aan bij uit naar is was zijn werd wordt deze dit dat niet ook",
    "tr": """bir bu şu o ve ile için gibi ancak fakat da de ki ne çok daha en bugün dün aslında ayrıca
    sonra önce tüm her bazı""",
    "pl": "w we z ze na do od po przez przy dla jest był była było były są nie się oraz ale jak to ten ta",
    "ro": "și de la sau dar este sunt era au fost în din cu pe pentru prin după acest această un o",
    "vi": "là và của các những một có được trong cho với không này đó khi ở tại từ theo bị đã sẽ đang sinh",
    "id": "yang dan di ke dari pada adalah ini itu untuk dengan",
}
_RU = words(
    """а без более бы был была были было быть в вам вас весь во вот все всё всего всех вы где да даже для до
    его ее её если есть еще ещё же за здесь и из из-за или им их к как какой когда кого которая которые
    который кто ли либо между меня мне много может можно мы на над надо наш наша наше не него нее неё нет
    ни них но ну о об однако он она они оно от очень по под после потому почему при про раз с сам сама
    само сами свой себя со среди так также такая такие такой там те тем теперь то тогда того тоже только
    том тот ту ты у уже хотя чего чей чем через что чтобы эта эти это этот я кроме согласно вместе около
    вчера сегодня завтра сейчас затем потом впрочем например благодаря несмотря вокруг перед против ранее
    позже напомним отметим кстати впервые наконец иногда всегда никогда почти именно лишь пока поэтому
    причем причём возможно конечно вероятно видимо действительно один два три четыре пять шесть семь
    восемь девять десять сто тысяча данный каждый многие некоторые несколько часть большинство ведь такое
    этого этому этом этой этим этих тому всему всем всеми моя мой мое моё мои твой ваш ваша ваше ваши
    наши во-первых во-вторых в-третьих вслед ввиду вскоре внутри вдоль возле вместо вопреки из-под кто-то
    что-то где-то весьма довольно весной летом осенью зимой утром днём днем вечером ночью является
    являются стал стала"""
)
_UK = words(
    """є і й та або але він вона воно вони це цей ця ці у в з із до від на за під про як що який була був були
    та не для після якщо також проте однак"""
)
_LISTS = {
    "en": _EN,
    "de": _DE,
    "fr": _FR,
    "es": _ES,
    "it": _IT,
    "pt": _PT,
    "ru": _RU,
    "uk": _RU | _UK,
    "be": _RU,
}

# Words that often open a sentence and are no name there; in the middle they can be part of one.
OPENERS = words(
    """one two three four five six seven eight nine ten first second third last next new old high low good
    great little long short young big small large major minor main part members member people men women
    children students critics fans scholars researchers scientists experts officials born died used using
    see note known made according founded built located established released published written named set
    played based history education production background career life early plot synopsis music film song
    album book story studies research evidence data results reports sources today's modern ancient
    traditional common popular various different specific certain additional similar important possible
    it'll""",
    """первый второй третий последний новый новая новое новые главное дело главный бывший бывшая действующий
    российский российская российские российское американский американские международный международные
    государственный федеральный страны страна город менеджеры исследователи специалисты ученые учёные
    сотрудники журналисты организаторы участники мероприятие встреча заседание выставка лекция сообщение""",
)


# Acronyms that read as function words when folded.
ACRONYMS = frozenset({"US", "WHO", "IT"})


@lru_cache(maxsize=64)
def function_words(lang: str) -> frozenset[str]:
    """The function words of a language; those of English too where the script is another one."""
    if lang in _LISTS:
        own = _LISTS[lang]
        return own | _EN if lang in {"ru", "uk", "be"} else own
    return words(_OTHER[lang]) if lang in _OTHER else _EN
