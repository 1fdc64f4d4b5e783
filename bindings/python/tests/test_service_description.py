"""The service answers what its description says: requests made of the description by a program that does not know it."""
import subprocess
import sys

from conftest import served

CHECKS = "response_schema_conformance,content_type_conformance,status_code_conformance"


def test_answers_are_those_of_the_description(tmp_path, command):
    index = tmp_path / "described.index"
    subprocess.run([command, "index", "create", index, "--quiet"], check=True)
    lines = "".join(f'{{"id": "{number}", "text": "one two three four five six {number % 3}"}}\n' for number in range(20))
    subprocess.run([command, "index", "add", index, "-", "--quiet"], input=lines, text=True, check=True, stdout=subprocess.DEVNULL)
    for sweep in ("may", "june"):
        adding = [command, "index", "add", index, "-", "--quiet", "--sweep", sweep]
        subprocess.run(adding, input=lines, text=True, check=True, stdout=subprocess.DEVNULL)
    with served(command, index) as url:
        # Whose bodies are of media types for which it has no values: lines of JSON, mail.
        left_out = [word for path in ("/v1/documents", "/checkv2") for word in ("--exclude-path", path)]
        options = ["--checks", CHECKS, "--phases", "coverage,fuzzing", "--max-examples", "25", "--seed", "1", *left_out]
        program = [sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json", "--url", url, "--continue-on-failure", *options]
        done = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
