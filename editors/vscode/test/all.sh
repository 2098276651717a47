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
run() {
    node --test --test-isolation=none --test-reporter=./test/reporter.ts "$@" 'test/parts/*.test.ts' 'test/ui/*.test.ts'
}
first=$(mktemp) again=$(mktemp)
trap 'rm -f "$first" "$again"' EXIT
set +e
run ${1:+--test-name-pattern="$1"} | tee "$first"
status=${PIPESTATUS[0]}
[ "$status" != 0 ] || exit 0

# What failed is tried once more, and told: a browser on a busy machine may stumble, a fault stays one.
patterns=()
while IFS= read -r name; do
    patterns+=("--test-name-pattern=^$(sed 's/[][\\.*^$+?(){}|/]/\\&/g' <<<"$name")\$")
done < <(sed -n 's/^✗ //p' "$first")
[ "${#patterns[@]}" -gt 0 ] || exit "$status"
echo "-- once more, what failed: ${#patterns[@]}"
run "${patterns[@]}" | tee "$again"
status=${PIPESTATUS[0]}
passed() { sed -n 's/^\([0-9]*\) passed, [0-9]* failed$/\1/p' "$1" | tail -n 1; }
failed() { sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$1" | tail -n 1; }
echo "$(($(passed "$first") + $(passed "$again"))) passed, $(failed "$again") failed"
exit "$status"
