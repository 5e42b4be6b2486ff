# Runs the statements on standard input. Stops at the first error.

unset PGSERVICE PGHOSTADDR
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD

exec psql -X -q -A -t -w --set=ON_ERROR_STOP=on --set=VERBOSITY=terse >/dev/null
