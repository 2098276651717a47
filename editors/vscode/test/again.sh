#!/usr/bin/env bash
# Does a command that needs the network, up to three times: again.sh COMMAND…. What it says is shown where it failed.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for try in 1 2 3; do
    "$@" >"$log" 2>&1 && exit
    echo "try $try of 3 failed: $*" >&2
    tail -n 20 "$log" >&2
    sleep $((try * 5))
done
exit 1
