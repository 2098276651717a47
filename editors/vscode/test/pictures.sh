#!/usr/bin/env bash
# Makes the pictures of the READMEs, images/*-dark.png and images/*-light.png, in a real VS Code:
#
#   LOOPLS=/path/of/loopls LOOPLS_TEST_CHROMIUM=/path/of/chromium test/pictures.sh
LOOPLS=$(realpath "${LOOPLS:-}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
. test/environment.sh
exec node test/pictures.ts
