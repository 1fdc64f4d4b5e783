"""The GitHub Action and the hooks of pre-commit, on small git repositories with and without a planted near-duplicate."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from checks.harness import HERE, Checks

ROOT = HERE.parent.parent
LICENCE = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/how-to/mail.md").read_text(encoding="utf-8")
# One word of many.
EDITED = PAGE.replace("Maildir", "mail folder", 1)
OTHER = "A page on something else entirely, which has no passage in common with any other page of this repository.\n"
PERSON = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True, env={**os.environ, **PERSON})
    return done.stdout.strip()


def repository(folder: Path, added: dict, moved: tuple = ()) -> str:
    """A repository whose branch `topic` adds files; the commit that it left."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    # As on GitHub, any commit may be asked for.
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    (folder / "guides").mkdir()
    for name, text in {"guides/mail page.md": PAGE, "old.md": OTHER * 3, "LICENSE": LICENCE}.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=one")
    git(folder, "checkout", "--quiet", "-b", "topic")
    for name, text in added.items():
        (folder / name).write_text(text, encoding="utf-8")
    if moved:
        git(folder, "mv", *moved)
    git(folder, "add", ".")
    return git(folder, "rev-parse", "main")


def repositories(c: Checks) -> None:
    if not shutil.which("git"):
        print("SKIPPED: repositories: there is no git", flush=True)
        return
    tools = c.work / "tools"
    tools.mkdir()
    (tools / "lookalike").symlink_to(c.binary.resolve())
    action(c)
    hooks(c, {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"})


def action(c: Checks) -> None:
    """The last step of action.yml, in a clone without history, as actions/checkout makes it."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = re.sub(r"^ {8}", "", text.rpartition("run: |\n")[2], flags=re.MULTILINE)
    files = re.search(r"^  files:\n.*\n    default: \"(.*)\"$", text, re.MULTILINE)[1]
    copy = "::error file=guides/a copy.md::near to guides/mail page.md, resemblance 0.99"
    for name, added, moved, settings, code, lines in (
        ("nothing added", {}, (), {}, 0, []),
        ("another page", {"guides/new.md": "Words that are in no other page of it.\n" * 5}, (), {}, 0, []),
        ("a moved page", {}, ("old.md", "guides/moved.md"), {}, 0, []),
        ("a near-duplicate", {"guides/a copy.md": EDITED, "guides/new.md": "Other words.\n"}, (), {}, 1, [copy]),
        ("two that are new", {"a.txt": "One page twice, for the first time here.\n", "b.txt": "One page twice, for the first time here!\n"}, (), {}, 1, ["::error file=b.txt::lexically equivalent to a.txt, resemblance 1.0"]),
        ("an identical one", {"guides/a copy.md": PAGE}, (), {"IDENTICAL": "true"}, 0, []),
        ("a higher threshold", {"guides/a copy.md": EDITED}, (), {"OPTIONS": "--threshold 1"}, 0, []),
        ("files that do not count", {"guides/a copy.md": EDITED}, (), {"FILES": "*.rst"}, 0, []),
        ("an unknown option", {"guides/a copy.md": EDITED}, (), {"OPTIONS": "--nope"}, 2, []),
        ("files of another kind", {"program.md": ""}, (), {}, 0, []),
    ):
        origin, clone = c.work / "origin" / name, c.work / "clones" / name
        base = repository(origin, added, moved)
        git(origin, "commit", "--quiet", "--allow-empty", "--message=two")
        clone.parent.mkdir(exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", "--depth=1", "--branch=topic", origin.as_uri(), clone], check=True)
        environment = {
            **os.environ, "GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(c.work), "FILES": files,
            "BASE": base, "OPTIONS": "", "IDENTICAL": "false", "GIVEN": str(c.binary.resolve()), **settings,
        }
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=clone, env=environment, capture_output=True, text=True)
        printed = done.stdout.splitlines()
        right = done.returncode == code and len(printed) == len(lines) and all(one.startswith(line) for one, line in zip(printed, lines))
        c.check(f"action: {name}", right, (done.returncode, done.stdout, done.stderr))


def hooks(c: Checks, environment: dict) -> None:
    """The hooks as pre-commit calls them: with their arguments, in the repository, over what is staged."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    found = {}
    for one in text.split("- id: ")[1:]:
        arguments = re.search(r"^  args: \[(.*)\]$", one, re.MULTILINE)[1]
        # Words without quotation marks are strings of YAML, too.
        found[one.split("\n")[0]] = [json.loads(word) if word.startswith('"') else word for word in re.findall(r'"[^"]*"|[^\s,]+', arguments)]
    c.check("hooks: there are two", set(found) == {"lookalike-docs", "lookalike-licences"} and text.count("entry: packaging/new_duplicates.py") == 2, found)
    altered = LICENCE.replace("to deal", "never to deal").replace("free of charge", "for a fee")
    for hook, name, added, lines in (
        ("lookalike-docs", "a near-duplicate", {"guides/a copy.md": EDITED}, ["guides/a copy.md: near to guides/mail page.md"]),
        ("lookalike-docs", "another page", {"guides/new.md": "Other words.\n"}, []),
        ("lookalike-licences", "an altered licence", {"LICENSE-2": altered}, ["LICENSE-2: near to LICENSE"]),
        ("lookalike-licences", "the same, of others", {"COPYING": LICENCE, "LICENSE-2": LICENCE.replace("2026 The lookalike authors", "1999 Jane Doe")}, []),
    ):
        folder = c.work / "hooks" / name
        repository(folder, added)
        done = subprocess.run([ROOT / "packaging/new_duplicates.py", *found.get(hook, [])], cwd=folder / "guides", env=environment, capture_output=True, text=True)
        printed = done.stdout.splitlines()
        right = done.returncode == bool(lines) and len(printed) == len(lines) and all(one.startswith(line) for one, line in zip(printed, lines))
        c.check(f"hooks: {hook}: {name}", right, (done.returncode, done.stdout, done.stderr))
    done = subprocess.run([ROOT / "packaging/new_duplicates.py", "*.md"], cwd=c.work / "hooks" / "a near-duplicate", env={**environment, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    c.check("hooks: a command that is not installed is named", done.returncode == 2 and "lookalike is not installed" in done.stderr, (done.returncode, done.stderr))
