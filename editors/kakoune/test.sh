#!/usr/bin/env bash
# loopls in Kakoune with kakoune-lsp, as docs/editors.md sets it up. Types into a real Kakoune, through its JSON
# interface, and looks at what it draws.
#
#   LOOPLS=/path/of/loopls KAK_LSP=/path/of/kak-lsp editors/kakoune/test.sh
#
# Prints one line a test and, last, `N passed, N failed`; exit status 1 when a test failed.
set -uo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
passed=0 failed=0

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# Nothing of this person's is read or written.
export HOME=$home TMPDIR=$home KAKOUNE_CONFIG_DIR=$home/kak XDG_RUNTIME_DIR=$home/run XDG_STATE_HOME=$home/state
mkdir -p "$KAKOUNE_CONFIG_DIR" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
PATH=$(dirname "$LOOPLS"):$(dirname "$KAK_LSP"):$PATH
export PATH

# What the page tells a person to put into their kakrc is what is tested.
awk '/^## / { here = /Kakoune/ } here && /^```$/ { exit } taken { print } here && /^```kak$/ { taken = 1 }' \
    "$repository/docs/editors.md" >"$KAKOUNE_CONFIG_DIR/kakrc"
[ -s "$KAKOUNE_CONFIG_DIR/kakrc" ] || { echo 'no configuration for Kakoune in docs/editors.md'; exit 1; }

# Opens the definition with one misspelt key, a new copy for each test.
open_definition() {
    file=$(mktemp -d "$home/XXXXXX")/typo.loop.toml
    drawn=$file.drawn
    cp "$repository/editors/nvim/tests/fixtures/typo.loop.toml" "$file"
    : >"$drawn"
    mkfifo "$file.keys"
    kak -ui json "$file" <"$file.keys" >"$drawn" 2>&1 &
    kakoune=$!
    exec 3>"$file.keys"
    sees 'promt'
}

# Presses keys, in Kakoune's notation. What was drawn before is forgotten.
press() {
    seen=$(stat -c %s "$drawn")
    jq_free=${1//\\/\\\\}
    printf '{ "jsonrpc": "2.0", "method": "keys", "params": ["%s"] }\n' "${jq_free//\"/\\\"}" >&3
}

# Waits until a line that matches is drawn. The 20 seconds are a bound for a machine under load.
sees() {
    local _
    for _ in {1..1000}; do
        if tail -c +"$((${seen:-0} + 1))" "$drawn" | grep -q -e "$1"; then return; fi
        sleep 0.02
    done
    echo "waited in vain to see: $1"
    tail -n 3 "$drawn" | cut -c 1-2000
    return 1
}

close_definition() {
    press '<esc>:quit!<ret>'
    exec 3>&-
    wait "$kakoune"
}

check() {
    local name=$1
    if "${@:2}"; then
        passed=$((passed + 1))
        echo "ok     $name"
    else
        failed=$((failed + 1))
        echo "FAILED $name"
    fi
}
