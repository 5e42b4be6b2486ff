# Usage: own-account.sh SUPERUSER_SQL, with the statements that make Berth's own account on standard input. Runs them as a
# superuser through the server's socket, where the images accept every role of the container without a password.

unset PGSERVICE PGHOSTADDR PGHOST
superuser=$(psql -X -q -A -t -w -c "$1") && [ -n "$superuser" ] || exit 1
PGUSER=$superuser exec psql -X -q -A -t -w
