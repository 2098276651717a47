#!/usr/bin/env python3
"""Holds the JSON Schema that loopls prints to the two TOML language servers that read one: every valid definition is
accepted, and one with an unknown key or a value of a wrong type is refused.

LOOPLS is the program, TAPLO and TOMBI are those of the two.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FAULTY = {
    "unknown key": 'name = "a"\niteratons = 1\n[model]\nprovider = "scripted"\nname = "demo"\n',
    "wrong type": 'name = "a"\n[model]\nprovider = "scripted"\nname = "demo"\n[limits]\ncalls = "5"\n',
    "no model": 'name = "a"\n',
}


def valid():
    for path in sorted((ROOT / "examples").glob("*.loop.toml")):
        yield path.name.removesuffix(".loop.toml"), path.read_text()
    lines = (ROOT / "tests/data/conformance/definitions.jsonl").read_text().splitlines()
    cases = [json.loads(line) for line in lines]
    yield from ((case["id"], case["toml"]) for case in cases if case["stage"] == "ok")


def write(folder, definitions):
    folder.mkdir()
    for name, text in definitions:
        (folder / f"{name}.loop.toml").write_text(text)


def main():
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        schema = place / "schema.json"
        schema.write_bytes(subprocess.run([os.environ["LOOPLS"], "schema"], check=True, capture_output=True).stdout)
        (place / "tombi.toml").write_text('[[schemas]]\npath = "schema.json"\ninclude = ["**/*.loop.toml"]\n')
        write(place / "valid", valid())
        for name, text in FAULTY.items():
            write(place / name.replace(" ", "-"), [("faulty", text)])
        linters = {
            "taplo": [os.environ["TAPLO"], "lint", "--schema", schema.as_uri()],
            "tombi": [os.environ["TOMBI"], "lint", "--offline"],
        }
        passed = failed = 0
        for linter, command in linters.items():
            for folder in ["valid", *(name.replace(" ", "-") for name in FAULTY)]:
                files = sorted(str(path.relative_to(place)) for path in (place / folder).iterdir())
                ran = subprocess.run([*command, *files], cwd=place, capture_output=True, text=True)
                accepted = ran.returncode == 0
                if accepted == (folder == "valid"):
                    passed += 1
                    continue
                failed += 1
                print(f"{linter} {'accepts' if accepted else 'refuses'} {folder}:\n{ran.stdout}{ran.stderr}")
        print(f"{len(list((place / 'valid').iterdir()))} valid definitions")
        print(f"{passed} passed, {failed} failed")
        return failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
