"""Sweeps over HTTP: what was added, against a model of pages by address, and against the command."""
import json
import random
from urllib.parse import quote, urlencode

from checks.harness import Checks
from checks.service import NDJSON, collection, created, serving


def pages_of(rng: random.Random, texts: list, before: dict) -> dict:
    """The pages of the next sweep: some as they were, some with other text, some gone, some moved, some new."""
    pages = {}
    for url, text in before.items():
        fate = rng.random()
        if fate < 0.5:
            pages[url] = text
        elif fate < 0.65:
            pages[url] = rng.choice(texts)
        elif fate < 0.8:
            pages[f"{url}/moved"] = text
    for _ in range(rng.randint(3, 8)):
        pages[f"https://{rng.choice('abc')}.example/ä {rng.randrange(10_000)}?q=1&r=%20"] = rng.choice(texts)
    return pages


def service_sweeps(c: Checks) -> None:
    index, rng = created(c, "sweeps.index"), random.Random(11)
    texts = [text for text in collection(12, 60).values() if len(text.split()) > 8]
    names = {"may 2024/1": "2024-05-01", "june": "2024-06-01", "july": None}
    sweeps, before = {}, {}
    with serving(c, index) as service:
        for name, date in names.items():
            before = sweeps[name] = pages_of(rng, texts, before)
            query = {"sweep": name, **({"date": date} if date else {})}
            lines = [{"id": f"{name} {url}", "url": url, "text": text} for url, text in before.items()]
            status, answers = service.stream(lines, **query)
            c.check(f"sweeps: {name} is added", status == 200 and answers[-1]["added"] == len(lines), answers[-1])
        status, _, listed = service.ask("GET", "/v1/sweeps")
        wanted = {(name, date, len(sweeps[name])) for name, date in names.items()}
        c.check("sweeps: are listed", {(one["name"], one.get("date"), one["documents"]) for one in listed["sweeps"]} == wanted, listed)

        for earlier, later in (("may 2024/1", "june"), ("june", "july"), ("july", "may 2024/1")):
            path = f"/v1/sweeps/{quote(earlier, safe='')}/diff/{quote(later, safe='')}"
            status, head, content = service.ask("GET", path)
            lines = [json.loads(line) for line in content.splitlines()]
            a, b = sweeps[earlier], sweeps[later]
            counts = lines[-1]["counts"]
            same = {url for url in a if a[url] == b.get(url)}
            c.check(f"sweeps: {earlier} to {later}", status == 200 and head["content-type"] == NDJSON["content-type"], head)
            c.check(f"sweeps: {earlier} to {later}: the same", counts["same"] == len(same), counts)
            c.check(f"sweeps: {earlier} to {later}: every earlier page once", sum(counts.values()) - counts["new"] == len(a), counts)
            shown = {line["url"] for line in lines[:-1] if "url" in line}
            c.check(f"sweeps: {earlier} to {later}: lines of all that changed", shown == set(a) - same, shown)
            # A text that is nowhere in the later sweep is gone or changed; one at another address alone moved there.
            for line in lines[:-1]:
                if line["change"] == "moved" and line["resemblance"] == 1:
                    c.check(f"sweeps: {line['url']} moved", a[line["url"]] == b[line["new_url"]] and line["url"] not in b, line)
                if line["change"] == "gone":
                    c.check(f"sweeps: {line['url']} is gone", a[line["url"]] not in b.values() and line["url"] not in b, line)
                if line["change"] == "new":
                    c.check(f"sweeps: {line['new_url']} is new", line["new_url"] not in a, line)
            done = c.run("index", "diff", index, earlier, later, "--format", "json")
            c.check(f"sweeps: {earlier} to {later}: as the command", json.loads(done.stdout)["pages"] == lines[:-1], done.stderr)
            status, _, content = service.ask("GET", path + "?" + urlencode({"only": "moved,gone", "site": "a.example", "threshold": "0.7", "slight": "0.8"}))
            done = c.run("index", "diff", index, earlier, later, "--only", "moved", "--only", "gone", "--site", "a.example",
                         "--threshold", "0.7", "--slight", "0.8", "--format", "json")
            wanted = json.loads(done.stdout)
            c.check(f"sweeps: {earlier} to {later}: with settings", [json.loads(line) for line in content.splitlines()] == [*wanted["pages"], {"counts": wanted["counts"]}])

        for url in rng.sample(list(sweeps["june"]), 8):
            at = "/v1/urls/" + quote(url, safe="")
            _, _, answer = service.ask("GET", at + "/history")
            found = [(one["sweep"], one.get("id")) for one in answer["versions"] if "id" in one]
            c.check(f"history: {url}", found == [(name, f"{name} {url}") for name in names if url in sweeps[name]], answer)
            done = c.run("index", "history", index, url, "--format", "json")
            c.check(f"history: {url}: as the command", json.loads(done.stdout) == answer, done.stderr)
            _, _, answer = service.ask("GET", at + "/holders?threshold=1")
            last = next(sweeps[name][url] for name in reversed(names) if url in sweeps[name])
            hosts = {other.split("/")[2] for name in names for other, text in sweeps[name].items() if other != url and last == text}
            c.check(f"holders: {url}", hosts <= {one["site"] for one in answer["holders"]}, (hosts, answer))
            done = c.run("index", "holders", index, url, "--threshold", 1, "--format", "json")
            c.check(f"holders: {url}: as the command", json.loads(done.stdout) == answer, done.stderr)
        for path, command in (("/v1/history", ["history", index, "--all"]), ("/v1/history?site=b.example", ["history", index, "--site", "b.example"]),
                              ("/v1/revisit", ["revisit", index]), ("/v1/revisit?site=c.example&limit=3", ["revisit", index, "--site", "c.example", "-n", 3])):
            done = c.run("index", *command, "--format", "json")
            c.check(f"sweeps: {path} as the command", json.loads(done.stdout) == service.ask("GET", path)[2], done.stderr)

        # Clusters, by pages.
        for url in rng.sample(list(sweeps["june"]), 5):
            name = f"june {url}"
            _, _, document = service.ask("GET", "/v1/documents/" + quote(name, safe=""))
            at = "/v1/clusters/" + quote(name, safe="")
            _, _, whole = service.ask("GET", at)
            c.check(f"cluster: {name}", whole["id"] == document["cluster"] and [one["id"] for one in whole["members"] if one["kept"]] == [whole["id"]], whole)
            parts = [service.ask("GET", f"{at}?from={place}&limit=1")[2] for place in range(whole["size"] + 1)]
            c.check(f"cluster: {name} by pages", [one for part in parts for one in part["members"]] == whole["members"], parts)
            others = service.ask("GET", "/v1/documents/" + quote(name, safe="") + "/cluster")[2]["matches"]
            c.check(f"cluster: {name} has the others", {one["id"] for one in whole["members"]} == {name} | {one["id"] for one in others}, others)

        c.check("sweeps: one is entered", service.ask("PUT", "/v1/sweeps/august?date=2024-08-01")[0] == 200)
        c.check("sweeps: twice", service.ask("PUT", "/v1/sweeps/august?date=2024-08-01")[0] == 200)
        for method, path, status in (("PUT", "/v1/sweeps/august?date=2024-09-01", 400), ("PUT", "/v1/sweeps/x?date=soon", 400), ("DELETE", "/v1/sweeps/none", 404),
                                     ("GET", "/v1/sweeps/june/diff/none", 404), ("GET", "/v1/sweeps/june/diff/july?only=lost", 400),
                                     ("GET", "/v1/sweeps/june/diff/july?threshold=7", 400), ("GET", "/v1/sweeps/june/diff/july?slight=7", 400),
                                     ("GET", "/v1/urls/none/history", 404), ("GET", "/v1/urls/none/holders", 404), ("GET", "/v1/history?slight=NaN", 400)):
            found, _, answer = service.ask(method, path)
            c.check(f"sweeps: {method} {path} is refused", found == status and answer["detail"], (found, answer))
        found, _, answer = service.ask("PUT", "/v1/documents/undated?date=2024-01-01", {"text": "a"})
        c.check("sweeps: a date without a sweep is refused", found == 400, answer)
        found, _, answer = service.ask("PUT", "/v1/documents/a?sweep=june", {"text": texts[0]})
        c.check("sweeps: a document is added", found == 201, answer)
        found, _, answer = service.ask("PUT", "/v1/documents/a?sweep=june", {"text": texts[1]})
        c.check("sweeps: and replaced in its sweep", found == 200 and answer["outcome"] == "replaced", answer)
        found, _, answer = service.ask("DELETE", "/v1/sweeps/june")
        c.check("sweeps: one is removed", found == 200 and answer["deleted"] == len(sweeps["june"]) + 1, answer)
        left = {one["name"]: one["documents"] for one in service.ask("GET", "/v1/sweeps")[2]["sweeps"]}
        c.check("sweeps: and the others stay", left == {"may 2024/1": len(sweeps["may 2024/1"]), "july": len(sweeps["july"]), "august": 0}, left)
        path = "/v1/sweeps/may%202024%2F1/diff/july"
        found, answer = service.ask("GET", path, None, {"deadline-ms": "1"})[::2]
        c.check("sweeps: a diff is whole or none", found in (200, 503), answer)
