# Usage: query-root.sh SQL. Runs a statement as root, and prints its result.
log_in --user=root -e "$1"
