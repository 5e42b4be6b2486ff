# Health check over TCP, because a server that still runs its set-up answers on its Unix socket only. Names an existing
# user, because the server would log an unknown one.

unset PGSERVICE PGHOSTADDR
answers() {
  PGUSER="${POSTGRES_USER:-postgres}" PGDATABASE=postgres pg_isready -q -h 127.0.0.1 -p 5432 -t "$1"
}
