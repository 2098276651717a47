#!/usr/bin/env bash
# Prints the path of a Chromium, installing Debian's where that is possible; else says why not and ends with status 77.
set -euo pipefail

find_chromium() {
    local name
    for name in "${LOOPLS_TEST_CHROMIUM:-}" chromium chromium-browser google-chrome; do
        [ -n "$name" ] && command -v "$name" && return
    done
    return 1
}

find_chromium && exit
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >&2 || true
    find_chromium && exit
fi
echo 'skipped: there is no Chromium, and it cannot be installed here'
exit 77
