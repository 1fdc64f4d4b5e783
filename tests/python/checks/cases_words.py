"""Cases of words: marks, scripts without spaces, texts without words, elements counted once."""
import json
import unicodedata

from checks.cases import Case


def lines(*texts) -> bytes:
    return "".join(json.dumps({"id": str(at), "text": text}, ensure_ascii=False) + "\n" for at, text in enumerate(texts, 1)).encode()


# Every vowel sign, point or tone of the second text is another one: none of its words is one of the first.
DIFFERENT = {
    "Bengali": ("কা খি গু চে ছো জা ঝি", "কি খা গো ছু চা জে ঝু"),
    "Tamil": ("கா கி கு கெ கொ பா பி", "கி கா கொ கு கெ பி பா"),
    "Hebrew points": ("שָׁלַח כָּתַב שָׁמַר לָמַד זָכַר", "שֻׁלַּח כֻּתַּב שֻׁמַּר לֻמַּד זֻכַּר"),
    "Yoruba tones": ("ọkọ́ ọ̀kọ̀ ẹ̀kọ́ ọ̀nà ẹ̀gbẹ́", "ọkọ̀ ọ̀kọ́ ẹ̀kọ̀ ọ̀nà́ ẹ́gbẹ̀"),
    "Dhivehi": ("ދިވެހި ބަސް މީހުން އެއްވަރެއް ހައްޤުތަކެއް", "ދުވަހު ބުސް މޯހެން އިއްވުރިއް ހިއްޤަތުކިއް"),
    "Khmer": ("កា កី កុ កេ កោ ខា ខី", "កី កា កោ កុ កេ ខី ខា"),
    "Javanese": ("ꦏꦴꦏꦶꦏꦸꦏꦺ ꦱꦶꦱꦸ", "ꦏꦶꦏꦸꦏꦺꦏꦴ ꦱꦸꦱꦶ"),
}
COMPOSED = "Tất cả mọi người sinh ra đều được tự do và bình đẳng"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
FOURTEEN = " ".join(f"kata{at}" for at in range(14))

CASES = [
    *(Case("marks belong to words", name, {"d.jsonl": lines(*texts)}, ["dedup", "d.jsonl"], kept=2, removed={}) for name, texts in DIFFERENT.items()),
    Case("marks belong to words", "decomposed text", {"d.jsonl": lines(COMPOSED, DECOMPOSED)}, ["dedup", "d.jsonl"], kept=1, removed={"lexically_equivalent": 1}),
    Case("marks belong to words", "letters of points", {"d.jsonl": lines("कि", "क")}, ["dedup", "d.jsonl", "--shingle-unit", "char"], kept=2),
    Case("case and tatweel", "dotted I", {"d.jsonl": lines("İSTANBUL VE DİYARBAKIR GEZİSİ", "İstanbul ve Di̇yarbakir gezi̇si̇")}, ["dedup", "d.jsonl"], kept=1, removed={"lexically_equivalent": 1}),
    Case("case and tatweel", "tatweel", {"a.txt": "كتاب جديد في المكتبة", "b.txt": "كـــتاب جـديد في المكـتبة"}, ["dedup", "a.txt", "b.txt"], kept=1, removed={"lexically_equivalent": 1}),
    Case("texts without words", "equal", {"d.jsonl": lines("🎉🎉 🚀", "🎉🎉 🚀", "🎉🎉🎉")}, ["dedup", "d.jsonl"], kept=2, removed={"identical": 1}),
    Case("texts without words", "but for white space", {"a.txt": "⠓⠑⠇⠇⠕ ⠺⠕\n", "b.txt": "⠓⠑⠇⠇⠕\n⠺⠕", "c.txt": "⠓⠑⠇⠇⠕"}, ["dedup", "a.txt", "b.txt", "c.txt"], kept=2, removed={"lexically_equivalent": 1}),
    Case("texts without words", "blank", {"d.jsonl": lines("", "", " \n", " \n")}, ["dedup", "d.jsonl"], kept=4, removed={}),
    Case("texts without words", "method", {"d.jsonl": lines("🎉", "🎉", "🚀")}, ["dedup", "d.jsonl", "--method", "minhash-lsh"], kept=2, removed={"identical": 1}),
    Case("texts without words", "against", {"new.jsonl": lines("♥♥", "★"), "old.jsonl": lines("♥♥")}, ["dedup", "new.jsonl", "--against", "old.jsonl"], kept=1, removed={"identical": 1}),
    Case("texts without terms", "cosine", {"d.jsonl": lines("1234 56 78", "1234 56 78", "1234 56 79")}, ["dedup", "d.jsonl", "--measure", "cosine", "--terms", "kolcz"], kept=2, removed={"identical": 1}),
    Case("texts without terms", "short", {"d.jsonl": lines("one two", "one two", "one TWO", "one")}, ["dedup", "d.jsonl", "--short-documents", "ignore"], kept=2, removed={"identical": 1, "lexically_equivalent": 1}),
    Case("equal sets count once", "few features", {"d.jsonl": lines("ruby telah", "telah ruby", "ruby ruby telah", "ruby " + FOURTEEN, FOURTEEN)},
         ["dedup", "d.jsonl", "--measure", "cosine", "-t", "1", "--ignore-common", "2"], kept=5, removed={}),
]
