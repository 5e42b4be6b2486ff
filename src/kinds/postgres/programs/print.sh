# Usage: print.sh SQL. Prints the answer: of a list one row with its fields, of statements one on each line.

unset PGSERVICE PGHOSTADDR PGOPTIONS
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD

printf '%s\n' "$1" | psql -X -q -A -t -w -F '
'
