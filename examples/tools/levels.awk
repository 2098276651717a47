# Counts the lines of a log by level and component: awk -f tools/levels.awk data/app.log
{ count[$2 " " $3]++ }
END { for (key in count) print count[key], key | "sort -k1,1nr -k2" }
