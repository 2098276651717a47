#!/usr/bin/env bash
# Measures how long a keystroke takes to be on the screen, without a run and while one prints 50,000 lines beside it:
#
#   LOOPLS=/path/of/loopls LOOPLS_TEST_CHROMIUM=/path/of/chromium test/measure.sh
LOOPLS=$(realpath "${LOOPLS:-}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
. test/environment.sh
exec node test/measure.ts
