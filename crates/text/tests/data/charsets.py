"""Writes charsets.tsv: texts encoded by each codec of Python that is a charset, under all of its names.

    python3 charsets.py > charsets.tsv
"""
import codecs
import encodings
import encodings.aliases
import pkgutil

NO_CHARSETS = {
    "aliases", "base64_codec", "bz2_codec", "charmap", "hex_codec", "idna", "mbcs", "oem", "punycode", "quopri_codec",
    "raw_unicode_escape", "rot_13", "undefined", "unicode_escape", "uu_codec", "zlib_codec",
}
TEXTS = [
    "Привет, как дела? Сегодня хорошая погода.", "Größe über Füße naïve café garçon señor", "Zażółć gęślą jaźń", "Příliš žluťoučký kůň",
    "안녕하세요 오늘 회의 자료를 첨부합니다", "今日は会議の資料を送ります。よろしくお願いします", "ｶﾀｶﾅ です", "你好，今天的会议资料已附上", "你好，今天的會議資料已附上",
    "Καλημέρα, τι κάνεις σήμερα", "שלום מה שלומך היום", "مرحبا كيف حالك اليوم", "สวัสดีครับวันนี้", "Iyi günler, nasılsınız? şğİ", "Labdien, kā jums klājas šodien",
    "Góðan daginn, þú", "Tiếng Việt", "Olá, você está bem? ação", "plain words of ASCII",
]
codec_names = sorted(({module.name for module in pkgutil.iter_modules(encodings.__path__)} | {"latin_1"}) - NO_CHARSETS)
print("# Made by charsets.py with the codecs of Python: name, bytes, the text that they decode to.")
for codec in codec_names:
    last = None
    names = {codec, codec.replace("_", "-")} | {name for name, of in encodings.aliases.aliases.items() if of == codec}
    for text in TEXTS:
        try:
            data = text.encode(codec)
        except UnicodeEncodeError:
            continue
        if "\t" in text or not data or data.decode(codec) != text:
            continue
        print(codec, data.hex(), text, sep="\t")
        last = last if last and not last[1].isascii() else (data, text)
    for name in sorted(names - {codec}):
        try:
            if codecs.lookup(name).name != codecs.lookup(codec).name:
                continue
        except LookupError:
            continue
        print(name, last[0].hex(), last[1], sep="\t")
