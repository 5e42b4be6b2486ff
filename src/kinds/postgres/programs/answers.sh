# Health check over TCP: a server that still runs its set-up answers on its socket only. The user is named so that the server does
# not log an unknown one.

unset PGSERVICE PGHOSTADDR
answers() {
  PGUSER="${POSTGRES_USER:-postgres}" PGDATABASE=postgres pg_isready -q -h 127.0.0.1 -p 5432 -t "$1"
}
