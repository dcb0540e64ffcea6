"""Names in scripts without capitals: known places, head words, and the marks of transliterated names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from workbench.proposing.rules.lexicon import Claims, Found, words
from workbench.text.lists import sections

_WORDS = sections(__name__)

_HEBREW_PHRASES = (
    "ארצות הברית",
    "תל אביב",
    "ניו יורק",
    "באר שבע",
    "בריטניה הגדולה",
    "ברית המועצות",
    "האומות המאוחדות",
)
_ARABIC_PHRASES = (
    "الولايات المتحدة الأمريكية", "الولايات المتحدة", "المملكة العربية السعودية", "المملكة المتحدة", "الأمم المتحدة",
    "الاتحاد الأوروبي", "الاتحاد السوفيتي", "كوريا الشمالية", "كوريا الجنوبية", "جنوب أفريقيا", "الشرق الأوسط",
    "أبو ظبي", "نيو يورك",
)  # fmt: skip
_DEVANAGARI_PHRASES = (
    "संयुक्त राज्य अमेरिका",
    "संयुक्त राज्य",
    "संयुक्त राष्ट्र",
    "नई दिल्ली",
    "सोवियत संघ",
    "यूरोपीय संघ",
    "दक्षिण अफ्रीका",
)

HAN = tuple(_WORDS["han"].split())
JAPANESE = tuple(_WORDS["japanese"].split())
KOREAN = tuple(_WORDS["korean"].split())
ARABIC = (*_ARABIC_PHRASES, *_WORDS["arabic"].split())
HEBREW = (*_HEBREW_PHRASES, *_WORDS["hebrew"].split())
DEVANAGARI = (*_DEVANAGARI_PHRASES, *_WORDS["devanagari"].split())
THAI = tuple(_WORDS["thai"].split())
# The few entries that are no
BODIES = words("欧盟 联合国 聯合國 北约 世界卫生组织 欧州連合 国際連合 国連 유엔 유럽연합 สหประชาชาติ") | {
    "الأمم المتحدة",
    "الاتحاد الأوروبي",
    "האומות המאוחדות",
    "संयुक्त राष्ट्र",
    "यूरोपीय संघ",
}
# The characters Chinese writes foreign names with; others end the name.
SOUNDS = (
    "阿埃艾爱安昂奥巴白班邦保鲍贝本比彼宾波伯勃博布查昌戴丹道德登邓迪蒂丁东杜顿多厄恩尔耳法范方菲费芬丰冯佛弗福富夫盖甘冈高戈哥格根古"
    "瓜圭哈海汉豪赫黑亨洪侯胡华怀惠霍基吉加贾简姜金京久居卡凯坎康考科可克肯孔库夸奎拉莱赖兰朗劳雷勒黎李里理利丽莉连廉良列林琳隆卢鲁"
    "路伦罗洛马玛迈麦曼芒毛梅门蒙米密民明摩莫默姆木穆纳乃南瑙内嫩尼娜年涅宁纽农努诺欧帕派潘庞佩彭皮匹平珀普齐奇恰乔切琴丘让热荣茹儒"
    "瑞若撒萨赛桑瑟森沙莎珊尚绍舍申圣施石史士舒斯丝思司松苏孙索塔泰坦汤唐陶特滕提田廷通图托瓦万旺威韦维魏温翁沃乌吴武西希锡夏香肖"
    "谢辛欣雄休修许雅亚延扬杨叶耶伊依易因英永尤于约云扎詹泽曾宰张哲珍芝治朱卓兹宗佐什翰玻桥喀塞"
    "愛奧貝賓戴鄧東頓爾範費豐馮蓋岡漢懷賈簡薑萊賴蘭勞裡麗連倫羅馬瑪邁麥門納內寧紐農諾歐龐齊喬讓榮薩賽紹聖師絲蘇孫湯陶騰圖萬韋衛溫鄔"
    "謝許亞揚楊葉約雲詹澤張"
)

_SCRIPTS = re.compile("[\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff"
_KATA = "\u30a1-\u30fa\u30fc"
# Characters of no name: a run of Han is cut at them. Prepositions, particles, numerals, verbs.
_STOP = (
    "的在自政被叫称稱于於是和与與及或了為为由从從到至位被把将將对對年月日有這这那其之以而并並也都就又但因"
    "所一二三四五六七八九十个個名国内外上中下前后後区間间来去时時过過"
)
_HEADS = {
    "place": (
        "省|市|县|縣|県|郡|区|區|町|村|镇|鎮|州|岛|島|湖|河|川|江|海|湾|灣|山|山脉|山脈|半岛|半島|海峡|海峽"
        "|运河|運河|机场|機場|空港|车站|駅|寺|神社|城|宫|宮|大桥|大橋|共和国|王国|帝国|公国"
    ),
    "organisation": (
        "大学|大學|学院|學院|公司|集团|集團|银行|銀行|委员会|委員会|委員會|协会|協会"
        "|協會|研究所|研究院|博物馆|博物館|出版社|报社|新聞|电视台|医院|醫院|病院|党|黨"
        "|联盟|連盟|聯盟|株式会社|财团|財団|基金会|俱乐部|乐团|交響楽団|球队|国会|议会"
        "|議会|法院|警察|军|軍"
    ),
    "event": "战争|戰爭|戦争|之战|大战|大戦|革命|运动会|奥运会|世界杯|起义|事变|条约|條約|条約|锦标赛",
}


@lru_cache(maxsize=1)
def _headed() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Han names of two to five characters before a head (北京大学): read from the last cut to the head."""
    plain = f"(?:(?![{_STOP}])[{_HAN}])"
    return tuple(
        (
            label,
            re.compile(f"(?:(?<![{_HAN}])|(?<=[{_STOP}])){plain}{{2,5}}?(?:{heads})"),
        )
        for label, heads in _HEADS.items()
    )


_DOTTED = re.compile(
    f"[{SOUNDS}]{{1,6}}(?:[·•‧・](?:[{SOUNDS}]{{1,6}}|[A-Z](?![A-Za-z]))){{1,3}}"
    f"|[{_KATA}]{{2,12}}(?:[・＝=][{_KATA}]{{1,12}}){{1,3}}"
)
_KATA_HEADED = re.compile(
    f"[{_KATA}]{{2,12}}(?:(?P<place>州|市|県|島|川|山|海|湖|共和国|王国|帝国|半島)|(?P<body>大学|社|銀行|党|軍))"
)
_KOREAN_HEADED = re.compile(
    "[가-힣]{2,8}?(?:(?P<place>특별시|광역시|공화국|왕국|제국)|(?P<body>대학교|은행|위원회|협회|연구소|박물관|방송|신문|전자|그룹))"
)
_ARABIC_AFTER = re.compile(
    r"(?<!\w)[ولبفك]?(?:ال)?(?P<head>مدينة|جمهورية|مملكة|جزيرة|نهر|جبل|محافظة|بحيرة|جامعة) "
    r"(?P<name>\w{3,20})"
)
_HEBREW_AFTER = re.compile(
    r"(?<!\w)[בלמהוכש]{0,2}(?P<head>אוניברסיטת|מדינת|ממלכת|רפובליקת|נהר|מחוז|העיר|האי) (?P<name>\w{3,20})"
)
_THAI_AFTER = re.compile(
    "(?:มหาวิทยาลัย|จังหวัด|แม่น้ำ|อำเภอ)[\u0e00-\u0e3a\u0e40-\u0e4e]{2,14}(?![\u0e00-\u0e7f])"
)


def _alternatives(names: Sequence[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(set(names), key=lambda name: (-len(name), name)))


@lru_cache(maxsize=1)
def _known() -> re.Pattern[str]:
    """All known places: Arabic and Hebrew ones after up to two prefix letters, Thai and Han ones anywhere."""
    katakana = [name for name in JAPANESE if re.match(f"[{_KATA}]", name)]
    han = [name for name in (*HAN, *JAPANESE) if name not in katakana]
    return re.compile(
        f"(?<![{_KATA}])(?:{_alternatives(katakana)})(?![{_KATA}])|(?:{_alternatives(han)})"
        f"|(?<![가-힣])(?:{_alternatives(KOREAN)})"
        rf"|(?<!\w)(?:[وبلفك]{{1,2}})?(?P<ar>{_alternatives(ARABIC)})(?!\w)"
        rf"|(?<!\w)(?:[בלמוהכש]{{1,2}})?(?P<he>{_alternatives(HEBREW)})(?!\w)"
        rf"|(?<![\u0900-\u097f])(?:{_alternatives(DEVANAGARI)})(?![\u0900-\u097f])"
        rf"|(?:{_alternatives(THAI)})(?![\u0e30-\u0e3a\u0e45\u0e47-\u0e4e])"
    )


def uncased(text: str) -> list[Found]:
    """Names in Han, kana, Hangul, Arabic, Hebrew, Devanagari and Thai; [] at once for a text without them."""
    if not _SCRIPTS.search(text):
        return []
    claims = Claims()
    claims.add(Found(found.start(), found.end(), "person") for found in _DOTTED.finditer(text))
    for label, pattern in _headed():
        claims.add(Found(found.start(), found.end(), label) for found in pattern.finditer(text))
    for pattern in (_KATA_HEADED, _KOREAN_HEADED):
        claims.add(
            Found(found.start(), found.end(), "place" if found.group("place") else "organisation")
            for found in pattern.finditer(text)
        )
    claims.add(_of_known(found) for found in _known().finditer(text))
    for pattern in (_ARABIC_AFTER, _HEBREW_AFTER):
        claims.add(Found(found.start("name"), found.end("name"), "place") for found in pattern.finditer(text))
    claims.add(Found(found.start(), found.end(), "place") for found in _THAI_AFTER.finditer(text))
    return claims.items()


def _of_known(found: re.Match[str]) -> Found:
    group = next((name for name in ("ar", "he") if found.group(name) is not None), 0)
    start, end = found.span(group)
    return Found(start, end, "organisation" if found.group(group) in BODIES else "place")
