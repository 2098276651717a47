#!/usr/bin/env bash
# Measures how long a keystroke takes to be on the screen: without a run, which is what VS Code takes by itself, beside a tool
# that prints 50,000 lines, and beside a reply of 50,000 chunks. On a machine that has nothing else to do:
#
#   LOOPLS=/path/of/loopls LOOPLS_TEST_CHROMIUM=/path/of/chromium test/measure.sh
LOOPLS=$(realpath "${LOOPLS:-}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
. test/environment.sh
exec node test/measure.ts
