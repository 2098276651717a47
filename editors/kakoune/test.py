"""loopls in Kakoune with kakoune-lsp, as docs/editors.md sets it up: types into a real Kakoune, through its JSON
interface, and looks at what it draws.

    LOOPLS=/path/of/loopls KAK_LSP=/path/of/kak-lsp python3 editors/kakoune/test.py

Prints one line a test and, last, `N passed, N failed`; exit status 1 when a test failed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# A bound for a machine under load, not a measure.
PATIENCE = 20


def configuration():
    """What the page tells a person to put into their kakrc: that is what is tested."""
    page = (REPOSITORY / "docs/editors.md").read_text()
    return re.search(r"\n## Kakoune.*?```kak\n(.*?)```", page, re.DOTALL).group(1)


class Kakoune:
    """A Kakoune with a copy of the definition that has one misspelt key. It sees no file of this person's."""

    def __enter__(self):
        # A socket's path is short, so that this is not below some long folder for temporary files.
        self.home = Path(tempfile.mkdtemp(prefix="kak", dir="/tmp"))
        self.file = self.home / "typo.loop.toml"
        shutil.copy(REPOSITORY / "editors/nvim/tests/fixtures/typo.loop.toml", self.file)
        (self.home / "kak").mkdir()
        (self.home / "kak/kakrc").write_text(configuration())
        programs = [str(Path(os.environ[name]).resolve().parent) for name in ("LOOPLS", "KAK_LSP")]
        environment = os.environ | {
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "XDG_RUNTIME_DIR": str(self.home),
            "XDG_STATE_HOME": str(self.home),
            "KAKOUNE_CONFIG_DIR": str(self.home / "kak"),
            "PATH": os.pathsep.join([*programs, os.environ["PATH"]]),
        }
        self.process = subprocess.Popen(
            ["kak", "-ui", "json", self.file.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=self.home,
            text=True,
        )
        self.drawn = []
        self.change = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        self.send("resize", 40, 160)
        return self

    def __exit__(self, *_):
        self.press("<esc>:kill!<ret>")
        try:
            self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def read(self):
        """Keeps what is drawn: windows, boxes, menus and the line of state, each as text."""
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except json.JSONDecodeError:
                return  # Cut off where Kakoune ended.
            if message["method"] in ("draw", "info_show", "menu_show", "draw_status"):
                with self.change:
                    self.drawn.append((message["method"], text_of(message["params"])))
                    self.change.notify()

    def send(self, method, *params):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}) + "\n")
        self.process.stdin.flush()

    def press(self, keys):
        """Presses keys, in Kakoune's notation."""
        self.send("keys", keys)

    def command(self, command):
        """Types a command. What was drawn before is forgotten."""
        with self.change:
            self.drawn.clear()
        self.press(f"<esc>:{command}<ret>")

    def choose(self, entry):
        """Chooses the entry of a menu that begins like this."""
        self.sees(rf"(?m)^{entry}", "menu_show")
        self.press(entry)
        self.sees(rf"^{entry}[^\n]*$", "menu_show")
        self.press("<ret>")

    def sees(self, pattern, what="draw"):
        """Waits until something that matches is drawn, in a window or as `what` says, and returns its text."""
        end = time.monotonic() + PATIENCE
        with self.change:
            while True:
                for kind, text in self.drawn:
                    if kind == what and re.search(pattern, text):
                        return text
                if not self.change.wait(end - time.monotonic()):
                    raise AssertionError(f"waited in vain for {pattern} in:\n{self.drawn}")


def text_of(params):
    """The text of what is drawn: lines of atoms, each with its contents, however deep."""
    if isinstance(params, dict):
        return params.get("contents", "")
    if isinstance(params, list):
        is_line = any(isinstance(part, dict) for part in params)
        return ("" if is_line else "\n").join(text_of(part).rstrip("\n") for part in params)
    return ""


def the_misspelt_key_is_marked(kakoune):
    kakoune.sees(r"\*promt =")
    kakoune.command("lsp-diagnostics")
    kakoune.sees(r"typo\.loop\.toml:3:1: \[error\]\[loopls\]\[unknown_key\] .*`prompt`")


def lines_with_a_lens_are_marked(kakoune):
    kakoune.sees(r">\[\[modes\]\]")


def hover_on_a_mode_shows_its_limits_and_where_they_are_from(kakoune):
    kakoune.sees(r"\*promt =")
    kakoune.command('execute-keys gg/"short"<lt>ret>n')
    kakoune.command("lsp-hover")
    shown = kakoune.sees("iterations", "info_show")
    assert re.search(r"iterations.*4.*mode", shown), shown
    assert re.search(r"calls.*100.*default", shown), shown


def the_quick_fix_puts_the_key_right(kakoune):
    kakoune.sees(r"\*promt =")
    kakoune.command("execute-keys gg/promt<lt>ret>")
    kakoune.command("lsp-code-actions")
    kakoune.choose("Change to")
    kakoune.sees(r"(?m)^ prompt =")


def a_tool_is_found_and_renamed_where_it_is_called(kakoune):
    kakoune.sees(r"\*promt =")
    kakoune.command('execute-keys gg/"look"<lt>ret>')
    kakoune.command("lsp-definition")
    kakoune.sees(r"typo\.loop\.toml 15:", "draw_status")
    kakoune.command("lsp-rename glance")
    text = kakoune.sees(r'(?m)^ name = "glance"$')
    assert '{ tool = "glance" }' in text, text


def the_code_action_runs_the_loop_as_shown(kakoune):
    kakoune.sees(r"\*promt =")
    kakoune.command("execute-keys gg/promt<lt>ret>cprompt<lt>esc>")
    kakoune.sees(r"(?m)^ prompt =")
    kakoune.command("lsp-code-actions")
    kakoune.choose("Run loop")
    # Nobody has said yet whether the folder is trusted.
    kakoune.sees("🔔1", "draw_status")
    kakoune.command("lsp-show-message-request-next")
    kakoune.sees("`echo`", "info_show")
    kakoune.choose("Once")
    kakoune.sees("Late enough", "draw_status")


TESTS = [
    the_misspelt_key_is_marked,
    lines_with_a_lens_are_marked,
    hover_on_a_mode_shows_its_limits_and_where_they_are_from,
    the_quick_fix_puts_the_key_right,
    a_tool_is_found_and_renamed_where_it_is_called,
    the_code_action_runs_the_loop_as_shown,
]

failed = 0
for test in TESTS:
    name = test.__name__.replace("_", " ")
    try:
        with Kakoune() as kakoune:
            test(kakoune)
        print(f"ok     {name}", flush=True)
    except AssertionError as error:
        failed += 1
        print(f"FAILED {name}\n{error}", flush=True)
print(f"{len(TESTS) - failed} passed, {failed} failed")
sys.exit(failed > 0)
