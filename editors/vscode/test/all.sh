#!/usr/bin/env bash
# All tests of the VS Code extension: types and style, the parts by themselves, and the whole in a real VS Code.
#
#   LOOPLS=/path/of/loopls LOOPLS_TEST_CHROMIUM=/path/of/chromium test/all.sh [PATTERN]
#
# PATTERN: only the tests whose name matches it. The last line is `N passed, N failed` or, with status 77, `skipped: REASON`.
# Pictures of what was seen are in test/screenshots/.
LOOPLS=$(realpath "${LOOPLS:-}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
. test/environment.sh

npm run --silent check
rm -rf test/screenshots
# One test after the other, for an editor needs the whole machine; in one process, so that tests can share an editor.
exec node --test --test-isolation=none --test-reporter=./test/reporter.ts ${1:+--test-name-pattern="$1"} \
    'test/parts/*.test.ts' 'test/ui/*.test.ts'
