printf '%s\n' "$ACCESS" "$(printf 'user:%s' "$ACCESS" | base64)"
half=$((${#ACCESS} / 2))
printf '%s' "$(printf '%s' "$ACCESS" | cut -c "1-$half")"
sleep 0.2
printf '%s\n' "$(printf '%s' "$ACCESS" | cut -c "$((half + 1))-")" >&1
