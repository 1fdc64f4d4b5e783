"""Writes golden_words.txt: sentences of our own and the words that Python finds in them once default-ignorable
characters are removed.

One line each: the text, a tab, the words joined by spaces. Run with Python 3.11 (Unicode 14).
"""
import re
import sys

# Default_Ignorable_Code_Point of Unicode 17.0, the part of it that the texts have.
IGNORABLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u206f\ufe00-\ufe0f\ufeff]")

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
]

with open(sys.argv[1], "w", encoding="utf-8", newline="") as out:
    for text in TEXTS:
        assert not {"\t", "\n"} & set(text)
        words = re.findall(r"[^\W_]+", IGNORABLE.sub("", text).lower())
        out.write(f"{text}\t{' '.join(words)}\n")
