# Usage: session.sh ARGUMENT... Runs psql, logged in as the user of the database. The arguments are those of the caller.

unset PGSERVICE PGOPTIONS
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD
# Since version 14, the server can notice that the client is gone and end its statement. The image of the server has psql of
# the same version.
version=$(psql --version)
version=${version#*) }
version=${version%%[!0-9]*}
if [ "${version:-0}" -ge 14 ]; then
  export PGOPTIONS='-c client_connection_check_interval=5s'
fi
exec psql --no-password "$@"
