# Begins the programs of dumps and restores, whose first argument is a query: it prints the options for those settings in
# BERTH_SESSION that the server has. Variables of the image can name another server.
unset PGSERVICE PGHOSTADDR
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD

BERTH_DATABASE=$PGDATABASE
export BERTH_DATABASE
run_sql() {
  printf '%s\n' "$1" | PGDATABASE=${2:-template1} psql -X -q -A -t -w
}
further_options=$(run_sql "$1") || exit 1
PGOPTIONS="$PGOPTIONS $further_options"
export PGOPTIONS
shift
