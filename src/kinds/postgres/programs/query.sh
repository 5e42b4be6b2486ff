# Usage: query.sh SQL. Runs the queries and prints each field of the result on a separate line.

unset PGSERVICE PGHOSTADDR
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD

printf '%s\n' "$1" | psql -X -q -A -t -w -F '
'
