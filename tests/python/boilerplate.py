"""What --boilerplate removes, recomputed from the texts: an oracle that shares no code with lookalike."""
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import PurePosixPath
from urllib.parse import urlsplit

LEAST = 10
AUTO = "5%"


def site_of(document, by_field: bool) -> str:
    """The host of its address, or the value of the field; else its file, or the directory of a one-document file."""
    address = (document.address or "").strip()
    if by_field:
        site = address
    else:
        head, slashes, _ = address.partition("//")
        site = (urlsplit(address).hostname or "").removesuffix(".") if slashes and (not head or head.endswith(":")) else ""
    if site:
        return site
    return str(PurePosixPath(document.file.name).parent) if document.file.is_document() else document.file.name


def most(limit: str, documents: int) -> int:
    limit = AUTO if limit == "auto" else limit
    if not limit.endswith("%"):
        return int(limit)
    return max(LEAST, int(documents * Fraction(limit[:-1]) / 100))


class Boilerplate:
    """The boilerplate of the sites of some documents."""

    def __init__(self, documents: list, limit: str, by_field: bool):
        self.limit, sets = limit, defaultdict(set)
        self.sites = set()
        for document in documents:
            site = site_of(document, by_field)
            self.sites.add(site)
            if document.features:
                sets[site].add(document.features)
        self.documents = {site: len(distinct) for site, distinct in sets.items()}
        self.of_sites = {}
        for site, distinct in sets.items():
            holders = Counter(feature for found in distinct for feature in found)
            found = {feature: count for feature, count in holders.items() if count > most(limit, len(distinct))}
            if found:
                self.of_sites[site] = found
        self.features = {feature for found in self.of_sites.values() for feature in found}
        self.only = []

    def remove(self, documents: list) -> None:
        """Takes it out of all features; the whole text of a document of nothing else is its only feature."""
        for document in documents:
            if document.features and document.features <= self.features:
                document.features = frozenset([("the whole text", *document.tokens)])
                self.only.append(document)
            else:
                document.features -= self.features

    def complaints(self, summary: dict, tokens) -> list:
        """What a summary says about it; `tokens` makes those of a text. Passages of characters may begin with a space, and are not counted."""
        said = summary.get("boilerplate")
        if said is None:
            return ["the summary has no boilerplate"]
        wanted = {
            "shingles": len(self.features), "sites": len(self.sites), "sites_with_boilerplate": len(self.of_sites),
            "only_boilerplate": sum(document.file.own for document in self.only),
        }
        found = [f"boilerplate.{name} is {said.get(name)}, not {value}" for name, value in wanted.items() if said.get(name) != value]
        listed = said["largest_sites"]
        if len(listed) != min(20, len(self.of_sites)):
            found.append(f"{len(listed)} sites of {len(self.of_sites)} are listed")
        for one in listed:
            found += self.site_complaints(one, tokens, summary["settings"]["unit"] == "word")
        return found

    def site_complaints(self, said: dict, tokens, of_words: bool) -> list:
        site, found = said["site"], []
        holders = self.of_sites.get(site, {})
        wanted = {"documents": self.documents.get(site), "shingles": len(holders), "more_than": most(self.limit, self.documents.get(site, 0))}
        found += [f"{site}: {name} is {said[name]}, not {value}" for name, value in wanted.items() if said[name] != value]
        passages = said["most_frequent"]
        if len(passages) != min(20, said["passages"]):
            found.append(f"{site}: {len(passages)} passages of {said['passages']} are listed")
        if passages != sorted(passages, key=lambda one: (-one["documents"], -one["words"], one["text"])):
            found.append(f"{site}: passages are not in order")
        seen = set()
        for passage in passages:
            if " … " in passage["text"] or not of_words:
                continue
            words = tokens(passage["text"])
            size = len(next(iter(holders), ()))
            shingles = [tuple(words[at:at + size]) for at in range(len(words) - size + 1)]
            counts = [holders.get(shingle, 0) for shingle in shingles]
            if len(words) != passage["words"] or not counts or min(counts) != passage["documents"] or max(counts) > 2 * min(counts):
                found.append(f"{site}: {passage} has {len(words)} words in {counts[:3]} documents")
            if seen & set(shingles) or len(set(shingles)) < len(shingles):
                found.append(f"{site}: {passage} repeats a shingle")
            seen |= set(shingles)
        return found
