# A small MCP server on standard input and output, for tests: it speaks the protocol well enough and can be made odd.
#
# Its tools come on two pages: `echo` answers with what it was sent, `fail` with an error, `slow` never, and `die` ends
# the server. In its folder it writes `pids` (a line each time it starts), `hello` (how it was greeted), `replies` (what
# it was answered to questions of its own), `slow` and `cancelled` (when that happened) and `ended` (in good order).
#
# FLOOD=1        complains of 3 MB at start and at every call
# MORE=JSON,     lists these tools too
# PAGES=3|loop|on  lists a tool a page on three pages, one page again and again, or ever new ones
# HUGE=BYTES     answers `echo` with so many characters
# ASKS=1         asks for roots, a sample and an elicitation before it answers `echo`
# START=SECONDS  starts only then
# TELLS=1        tells how far it is before it answers `echo`, and waits for a file `heard`
echo $$ >> pids
flood() { [ -z "$FLOOD" ] || head -c 3000000 /dev/zero | tr '\0' 'x' >&2; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
text() { answer "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
one() { answer "{\"tools\":[{\"name\":\"$1\",\"inputSchema\":{\"type\":\"object\"}}]$2}"; }
ask() { printf '{"jsonrpc":"2.0","id":"%s","method":"%s","params":%s}\n' "$1" "$1" "$2"; }

[ -z "$START" ] || sleep "$START"
flood
echo 'this is no message'
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"initialize"'*)
        printf '%s\n' "$line" > hello
        answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*)
        case "$PAGES:$line" in
        3:*'"cursor":"c"'*) one three ;;
        3:*'"cursor":"b"'*) one two ',"nextCursor":"c"' ;;
        3:*) one one ',"nextCursor":"b"' ;;
        loop:*) one again ',"nextCursor":"b"' ;;
        on:*)
            page=$(printf '%s' "$line" | sed -n 's/.*"cursor":"\([0-9]*\)".*/\1/p')
            one "t$((page + 1))" ",\"nextCursor\":\"$((page + 1))\"" ;;
        :*'"cursor":"2"'*)
            answer "{\"tools\":[$MORE{\"name\":\"slow\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"die\",\"inputSchema\":{\"type\":\"object\"}}]}" ;;
        *)
            answer '{"tools":[{"name":"echo","description":"Says it.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"annotations":{"readOnlyHint":true}},{"name":"fail","inputSchema":{"type":"object"}}],"nextCursor":"2"}' ;;
        esac ;;
    *'"name":"echo"'*)
        flood
        if [ -n "$HUGE" ]; then
            printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"
            head -c "$HUGE" /dev/zero | tr '\0' 'x'
            printf '"}]}}\n'
            continue
        fi
        if [ -n "$TELLS" ]; then
            token=$(printf '%s' "$line" | sed -n 's/.*"progressToken":\([0-9]*\).*/\1/p')
            for more in '"progress":1,"total":2,"message":"half"' '"progress":3.5'; do
                printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,%s}}\n' "$token" "$more"
            done
            until [ -e heard ]; do sleep 0.05; done
        fi
        if [ -n "$ASKS" ]; then
            ask roots/list '{}'
            ask sampling/createMessage '{"messages":[],"maxTokens":1}'
            ask elicitation/create '{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}'
            for _ in 1 2 3; do
                IFS= read -r reply
                printf '%s\n' "$reply" >> replies
            done
        fi
        text "$(printf '%s' "$line" | sed 's/.*"arguments":\({[^}]*}\).*/\1/; s/"/'"'"'/g')" ;;
    *'"name":"fail"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no such luck"}}\n' "$id" ;;
    *'"name":"slow"'*) echo > slow ;;
    *'"name":"die"'*) echo "the key is $KEY" >&2; exit 7 ;;
    *'notifications/cancelled'*) echo > cancelled ;;
    esac
done
echo > ended
