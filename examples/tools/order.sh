# Prints one order as "key: value" lines: sh tools/order.sh ID
# What a model chose arrives as an argument, so it stays data: it is never part of a program's text.
ORDER=$1 awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) key[i] = $i; next }
    $1 == ENVIRON["ORDER"] { for (i = 1; i <= NF; i++) print key[i] ": " $i; found = 1 }
    END { if (!found) { print "no order " ENVIRON["ORDER"]; exit 1 } }
' data/orders.csv
