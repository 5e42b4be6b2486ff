# Health check over TCP. While the image initializes the data, the server listens on a Unix socket only. The check names
# an existing user, because the server would log an unknown user. A server that rejects connections recovers its data,
# unless it is stopping. The eighth line of its file postmaster.pid tells this (source: pidfile.h of PostgreSQL).

unset PGSERVICE PGHOSTADDR
answers() {
  PGUSER="${POSTGRES_USER:-postgres}" PGDATABASE=postgres pg_isready -q -h 127.0.0.1 -p 5432 -t "$1"
  case $? in
    0) return 0 ;;
    1) [ "$(sed -n 8p "$PGDATA/postmaster.pid" 2>/dev/null)" = stopping ] || return 2 ;;
  esac
  return 1
}
