# Books one refund: sh tools/refund.sh ORDER AMOUNT
set -eu
file=data/refunds.csv
[ -e "$file" ] || echo 'order,amount' >"$file"
printf '%s,%s\n' "$1" "$2" >>"$file"
printf 'booked %s for order %s\n' "$2" "$1"
