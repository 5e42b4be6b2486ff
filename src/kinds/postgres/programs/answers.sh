# Health check over TCP. While the image initializes the data, the server listens on a Unix socket only. The check names
# an existing user, because the server would log an unknown user.

unset PGSERVICE PGHOSTADDR
answers() {
  PGUSER="${POSTGRES_USER:-postgres}" PGDATABASE=postgres pg_isready -q -h 127.0.0.1 -p 5432 -t "$1"
}
