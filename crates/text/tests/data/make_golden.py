"""Writes golden_words.txt: sentences of our own and the words that Python finds in them once default-ignorable
characters and the tatweel are removed: letters and numbers, with the marks that follow them.

One line each: the text, a tab, the words joined by spaces. Run with Python 3.11 (Unicode 14).
"""
import re
import sys
import unicodedata

# Default_Ignorable_Code_Point of Unicode 17.0, the part of it that the texts have.
IGNORABLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u206f\ufe00-\ufe0f\ufeff\u0640]")

TEXTS = [
    "The quick brown fox, 2 dogs & a snake_case name: it's 3.14 o'clock, isn't it?",
    "naïve café — Ångström ĲSSELMEER straße GROẞE ﬁn",
    "İstanbul ISPARTA ıssız DİYARBAKIR",
    "ΟΔΥΣΣΕΥΣ ΚΑΙ ΣΙΣΥΦΟΣ, ΤΑΣ. Σ ΑΣ'Α Σ.",
    "Быстрая лиса №5 прыгает через ЩЕЛЬ; ё́лка",
    "Հայերեն ԼԵԶՈՒ և գիր",
    "ქართული ენა ᲓᲐ ᲐᲜᲑᲐᲜᲘ",
    "שלום עולם: אָלֶף־בֵּית 3",
    "مرحبا بالعالم ١٢٣ وَلَدٌ می‌خواهم",
    "नमस्ते दुनिया क्षेत्र ४५६",
    "বাংলা ভাষা ৭৮ কিছু",
    "தமிழ் மொழி தெலుగు ಕನ್ನಡ മലയാളം",
    "አማርኛ ፊደል ፩፪፫",
    "한국어 문장 셋 ㄱㄴ",
    "ᏣᎳᎩ ꮳꮃꭹ ᎦᏬᏂᎯᏍᏗ",
    "Tiếng Việt: Đường phố HÀ NỘI e\u0301te\u0301",
    "𝐁old 𝒮cript 𐐔𐐯𐑅𐐲𐑉𐐯𐐻 𞤀𞤣𞤤𞤢𞤥",
    "x² ½ cup Ⅷ ⅷ ①② Ⓐ m³ 10⁻³",
    "soft\u00adhyphen zero\u200bwidth word\u2060joiner \ufeffmark",
    "a\u0000b\u001cc\u0085d\u00a0e\u2003f\u3000g\u2028h",
    "emoji 😀family👨‍👩‍👧 keycap1️⃣ flag🇩🇪x",
    "ǅungla ǈ Ǌ ŉ ʼapostrophe okina ʻokina",
    "i\u0307stanbul I\u0307ZMI\u0307R e\u0307 \u0301 -\u0308a",
    "كـتـاب ـ ﻜـﺘﺎﺏ كِتَابٌ ٱلۡحَمۡدُ",
    "ދިވެހި ބަސް ⵜⴰⵎⴰⵣⵉⵖⵜ ߒߞߏ ߘߐ߬ 𑄌𑄋𑄴𑄟𑄳𑄦 ትግርኛ",
    "ਪੰਜਾਬੀ ગુજરાતી ଓଡ଼ିଆ සිංහල བོད་སྐད་ ᠮᠣᠩᠭᠣᠯ ᱥᱟᱱᱛᱟᱲᱤ মৈতৈলোন্",
    "Gbogbo ènìyàn ẹ̀tọ́ kọ̀ọ̀kan ɔ̃ ɛ̃ŋ̀ n̈ ǀʼáń a\u20dd 1\u20e3",
    "ܐܪܡܝܐ ܣܘܪܝܝܐ ܠܫܢܵܐ; יידיש ײַנגל און װאָס; ᐃᓄᒃᑎᑐᑦ",
]


def words(text):
    text = text.lower().replace("i\u0307", "i")
    kinds = "".join({"L": "w", "N": "w", "M": "m"}.get(unicodedata.category(c)[0], " ") for c in text)
    return [text[found.start():found.end()] for found in re.finditer("w[wm]*", kinds)]


with open(sys.argv[1], "w", encoding="utf-8", newline="") as out:
    for text in TEXTS:
        assert not {"\t", "\n"} & set(text)
        out.write(f"{text}\t{' '.join(words(IGNORABLE.sub('', text)))}\n")
