"""Countries, continents and big cities in scripts without capitals, written from general knowledge."""

from __future__ import annotations

from workbench.proposing.lexicon import words
from workbench.text.lists import sections

_WORDS = sections(__file__)

_HAN = _WORDS["han"]
_JAPANESE = _WORDS["japanese"]
_KOREAN = _WORDS["korean"]
_ARABIC = _WORDS["arabic"]
_HEBREW = _WORDS["hebrew"]
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
_DEVANAGARI = _WORDS["devanagari"]
_DEVANAGARI_PHRASES = (
    "संयुक्त राज्य अमेरिका",
    "संयुक्त राज्य",
    "संयुक्त राष्ट्र",
    "नई दिल्ली",
    "सोवियत संघ",
    "यूरोपीय संघ",
    "दक्षिण अफ्रीका",
)
_THAI = _WORDS["thai"]

HAN = tuple(_HAN.split())
JAPANESE = tuple(_JAPANESE.split())
KOREAN = tuple(_KOREAN.split())
ARABIC = (*_ARABIC_PHRASES, *_ARABIC.split())
HEBREW = (*_HEBREW_PHRASES, *_HEBREW.split())
DEVANAGARI = (*_DEVANAGARI_PHRASES, *_DEVANAGARI.split())
THAI = tuple(_THAI.split())
# The few entries that are no places.
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
