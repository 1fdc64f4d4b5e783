"""What differs between two texts, recomputed from their definitions: an oracle that shares no code with lookalike.

A text is read through its *shape*: one letter for each character, so that regular expressions say what is a
number, an identifier or a word. `d` is a digit, `U` a capital, `l` another letter with case, `o` another letter,
`s` a character that is a word by itself, `m` a mark; white space is a space, or a line break; all else is itself.
"""
import re
import unicodedata
from collections import Counter
from functools import lru_cache

KINDS = ("numbers", "identifiers", "title", "title+numbers", "names", "symbols", "quotation", "case", "order")
TITLE_WORDS = 32
# More removals than these are not compared, nor longer texts.
MOST_PAIRS, MOST_BYTES, LONGEST = 2000, 16 << 20, 1 << 20

NUMBER = re.compile(r"d+(?:,ddd(?!d))*(?:\.d+)*")
IDENTIFIER = re.compile(r"[_dUlo][_dUlom]*(?:[-.]d[_dUlom]*)*")
TOKEN = re.compile(r"(?P<word>[dUlo][dUlom]*)|(?P<single>s)|(?P<gap>[ \n]+)|(?P<other>.)", re.DOTALL)


def is_digit(character: str) -> bool:
    return unicodedata.digit(character, None) is not None


def is_identifier(shape: str) -> bool:
    runs = re.split("[-.]", shape)
    if any("_" in run and re.search("[dUlo]", run) or re.search("lU|[Ulo]d", run) for run in runs):
        return True
    if re.search("[Ulo]", runs[0]) and "-" in shape:
        return True
    return not re.search("[Ulo]", shape) and ("." in shape or shape.count("-") > 1)


class Profile:
    """The parts of a document, and its words."""

    def __init__(self, words: list, parts: dict, capitals: Counter):
        self.words, self.parts, self.capitals = words, parts, capitals
        self.counts = Counter(words)


class TextParts:
    """Finds profiles. Has the functions that say what a word is: `kind` of a character, `normalised`, `lower`, `words`
    and `operators` of a text."""

    def __init__(self, settings: dict, kind, normalised, lower, words, operators):
        normalize = "nfc" if settings["normalize"] == "confusables" else settings["normalize"]
        # Letters that look alike are one in words only.
        self.of_words = {**settings, "case": "fold"}
        self.of_parts = {**settings, "normalize": normalize, "case": "keep"}
        self.normalised, self.lower, self.words, self.operators = normalised, lower, words, operators

        @lru_cache(maxsize=None)
        def letter(c: str) -> str:
            if c == "\n":
                return c
            if c.isspace() or unicodedata.category(c) == "Cc":
                return " "
            found = kind(c)
            if found == "w":
                return "d" if is_digit(c) else "U" if c.lower() != c else "l" if c.islower() else "o"
            return c if found == " " else found

        self.letter = letter

    def profile(self, text: str, title) -> Profile:
        written = self.normalised(text, self.of_parts)
        shape = "".join(map(self.letter, written))
        all_words = [word for word, _ in self.words(self.normalised(text, self.of_words))]
        title = self.title(text, title)
        names, capitals = self.names(written, shape)
        parts = {
            "numbers": Counter(written[m.start():m.end()].replace(",", "") for m in NUMBER.finditer(shape)),
            "identifiers": Counter(written[m.start():m.end()] for m in IDENTIFIER.finditer(shape) if is_identifier(m[0])),
            "title": Counter(word for word in title if not any(map(is_digit, word))),
            "title+numbers": Counter(title),
            "names": names,
            "symbols": Counter(symbol for symbol, _ in self.operators(text, self.of_parts)),
        }
        return Profile(all_words, parts, capitals)

    def title(self, text: str, title) -> list:
        """The words of the title, or else the first of the first line that has any."""
        def words(line: str) -> list:
            return [word for word, _ in self.words(self.lower(self.normalised(line, self.of_parts)))]

        if title and (found := words(title)):
            return found
        for line in text.split("\n"):
            stretches = re.findall("[^\0-\x20]+", line)[:TITLE_WORDS]
            if found := words(" ".join(stretches)):
                return found[:TITLE_WORDS]
        return []

    def names(self, written: str, shape: str) -> tuple:
        """Capitalised words that begin no sentence, and all words with capitals."""
        names, capitals = Counter(), Counter()
        begins, ended, abbreviation = True, False, False
        for found in TOKEN.finditer(shape):
            if found["gap"]:
                begins = begins or ended or found["gap"].count("\n") > 1
            elif found["other"]:
                c = written[found.start()]
                ended = ended or c in "!?…。！？" or c == "." and not abbreviation
            elif found["single"]:
                begins = ended = abbreviation = False
            else:
                word, capitalised = written[found.start():found.end()], found[0][0] == "U"
                if "U" in found[0]:
                    capitals[word] += 1
                if capitalised and len(word) > 1 and not begins:
                    names[self.lower(word)] += 1
                begins, ended, abbreviation = False, False, capitalised and len(word) <= 3
        return names, capitals


def difference(removed: Profile, kept: Profile) -> tuple:
    """Words lost, words added and the kinds."""
    lost = (removed.counts - kept.counts).total()
    added = (kept.counts - removed.counts).total()
    short, long = sorted((removed.words, kept.words), key=len)
    same_words = lost + added == 0
    differs = {name: removed.parts[name] != kept.parts[name] for name in removed.parts}
    differs["quotation"] = bool(short) and len(short) < len(long) and f"\0{stretch(short)}\0" in f"\0{stretch(long)}\0"
    differs["case"] = same_words and removed.capitals != kept.capitals
    differs["order"] = same_words and removed.words != kept.words
    return lost, added, ",".join(name for name in KINDS if differs[name])


def stretch(words: list) -> str:
    return "\0".join(words)


def sampled(pairs: list) -> list:
    """The pairs that are compared, of all in the order of the collection."""
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[number * (len(pairs) - 1) // (MOST_PAIRS - 1)] for number in range(MOST_PAIRS)]
    sized = [(pair, [len(document.text.encode()) for document in pair[:2]]) for pair in pairs]
    sized = [(pair, sum(sizes)) for pair, sizes in sized if max(sizes) <= LONGEST]
    every = max(1, -(-sum(size for _, size in sized) // MOST_BYTES))
    chosen, left = [], MOST_BYTES
    for pair, size in sized[::every]:
        if size <= left:
            chosen.append(pair)
            left -= size
    return chosen


def summed(found: list, of: int):
    """The summary of what differs in `found`: tuples of a removed document, its witness, whether it is a near-duplicate, words
    lost, added and kinds."""
    kinds = []
    for kind in KINDS:
        differ = [(removed, kept, near) for removed, kept, near, _, _, own in found if kind in own.split(",")]
        if differ:
            kinds.append((kind, len(differ), sum(near for _, _, near in differ), *differ[0][:2]))
    losing = [sum(lost >= least for _, _, _, lost, _, _ in found) for least in (1, 10)]
    return (len(found), of, sum(near for _, _, near, *_ in found), *losing, kinds) if found else None


# The parts of rules, in the order in which they are preferred, and the words that a rule may let a removal lose.
RULE_PARTS = ("title", "numbers", "identifiers", "title+numbers", "names", "symbols")
RULE_LOSSES = (0, 1, 2, 5, 10, 20, 50)


def kept_apart(one: tuple, parts, most) -> bool:
    _, _, _, lost, _, kinds = one
    return bool(set(parts) & set(kinds.split(","))) or most is not None and lost > most


def recurring(found: list, parts=RULE_PARTS) -> list:
    """The rules of differences that recur among the near removals of `found`: parts, lost words, removals kept apart, and those that differ in no more."""
    near = [one for one in found if one[2]]
    kinds = [set(one[5].split(",")) for one in near]
    telling = {part for part in parts if 10 * sum(part in own for own in kinds) <= 9 * len(near)}
    sets = Counter()
    for one, own in zip(near, kinds):
        own = own & telling
        if own & {"title", "numbers"}:
            own -= {"title+numbers"}
        if own or one[3] > 10 and len(parts) > 1:
            sets[tuple(part for part in RULE_PARTS if part in own)] += 1
    # Of equal counts the set whose first part is preferred.
    ranked = sorted(sets.items(), key=lambda item: (-item[1], [RULE_PARTS.index(part) for part in item[0]]))
    rules = []
    for own, alone in [item for item in ranked if item[1] >= 10 and 10 * item[1] >= len(near)][:3]:
        most = None if own else 10
        rules.append((list(own), most, sum(kept_apart(one, own, most) for one in near), alone))
    return rules


def judged(found: list, same: list) -> tuple:
    """Right and wrong removals among those of which `same` says something: the same words are the same text."""
    known = [(one, own) for one, own in zip(found, same) if own is not None]
    wrong = sum(one[2] and not own for one, own in known)
    return len(known) - wrong, wrong


def best_rule(found: list, same: list, certain: int):
    """By labels, the best rule: parts, lost words, near removals kept apart, and the right and wrong ones that it leaves."""
    right, wrong = judged(found, same)
    thousandths = lambda part, whole: 1000 * part // whole if whole else 0
    share = thousandths(wrong, right + wrong)
    if right + wrong < 20 or share <= 50:
        return None
    best = None
    for number in range(1 << len(RULE_PARTS)):
        parts = [part for bit, part in enumerate(RULE_PARTS) if number & 1 << bit]
        for most in (None, *RULE_LOSSES):
            stay = [not kept_apart(one, parts, most) for one in found]
            left = judged([one for one, stays in zip(found, stay) if stays], [own for own, stays in zip(same, stay) if stays])
            lost, left_share = right - left[0], thousandths(left[1], sum(left))
            if 10 * lost > right + certain or left[0] + certain == 0 or 2 * left_share > share:
                continue
            terms = len(parts) + (most is not None)
            score = left_share + thousandths(lost, right + certain) // 4 + 5 * terms
            key = (score, terms, -left[0], most is not None, -(most or 0), number)
            if best is None or key < best[0]:
                best = key, (parts, most, sum(one[2] and not stays for one, stays in zip(found, stay)), *left)
    return best and best[1]
