# Lists the commits of one tag: awk -f tools/commits.awk -- TAG data/commits.tsv
# The tag is taken out of the arguments, so that awk does not read it as a file or an assignment.
BEGIN { FS = "\t"; tag = ARGV[1]; ARGV[1] = "" }
$1 == tag { print $2, $3 ": " $4; found++ }
END { if (!found) { print "no commits for " tag; exit 1 } }
