#!/bin/bash
# The entry point of the postgres stand-in: makes the database on the first start (POSTGRES_*, PGDATA,
# /docker-entrypoint-initdb.d) as the official image's documentation describes, then becomes the server.
# No SQL and no shell line is made from a value: names and passwords reach psql as variables.
set -Eeuo pipefail

fail() { printf '%s\n' "$@" >&2; exit 1; }

# POSTGRES_X_FILE names a file that holds POSTGRES_X.
read_from_file() {
  local name=$1 file=$1_FILE value
  [ -n "${!file:-}" ] || return 0
  [ -z "${!name:-}" ] || fail "error: both $name and $file are set; set one of them"
  value=$(<"${!file}") # by itself, so that a file that cannot be read ends the start
  export "$name=$value"
}

read_settings() {
  local name
  for name in PASSWORD USER DB INITDB_ARGS HOST_AUTH_METHOD; do read_from_file "POSTGRES_$name"; done
  export POSTGRES_USER="${POSTGRES_USER:-postgres}"
  export POSTGRES_DB="${POSTGRES_DB:-$POSTGRES_USER}"
  export POSTGRES_PASSWORD="${POSTGRES_PASSWORD:-}"
}

check_settings() {
  case $POSTGRES_PASSWORD in *[$'\n\r']*) fail 'error: POSTGRES_PASSWORD contains a line break, which initdb cannot take' ;; esac
  if [ "${POSTGRES_HOST_AUTH_METHOD:-}" = trust ]; then
    echo 'warning: POSTGRES_HOST_AUTH_METHOD=trust lets everyone who reaches the port in, without a password' >&2
  elif [ -z "$POSTGRES_PASSWORD" ]; then
    fail 'Error: Database is uninitialized and superuser password is not specified.' \
      'Set POSTGRES_PASSWORD (or POSTGRES_PASSWORD_FILE) for the first start on an empty volume.'
  fi
}

# From 18 on the volume is /var/lib/postgresql and the data lies in a folder by version inside it.
refuse_old_layout() {
  [ "$PG_MAJOR" -ge 18 ] && [ "$PGDATA" = "/var/lib/postgresql/$PG_MAJOR/docker" ] || return 0
  if [ -s /var/lib/postgresql/data/PG_VERSION ] || [ -s /var/lib/postgresql/PG_VERSION ] ||
    grep -q ' /var/lib/postgresql/data ' /proc/self/mountinfo; then
    fail 'Error: this image keeps its data under /var/lib/postgresql: mount the volume there, not at /var/lib/postgresql/data.' \
      'A volume of an older version has to be dumped and restored (or pg_upgraded) first.'
  fi
}

become_postgres() {
  mkdir -p "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  chmod 3775 /var/run/postgresql
  [ -z "${POSTGRES_INITDB_WALDIR:-}" ] || install -d -o postgres -g postgres -m 700 "$POSTGRES_INITDB_WALDIR"
  find "$PGDATA" /var/run/postgresql ! -user postgres -exec chown postgres: {} +
  export HOME=/var/lib/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
}

# A POSTGRES_USER with one of " ' $ \ fails in here, as in the official image: PostgreSQL does not take it.
make_cluster() {
  local args=()
  [ -z "${POSTGRES_INITDB_ARGS:-}" ] || mapfile -t args < <(xargs -n1 printf '%s\n' <<<"$POSTGRES_INITDB_ARGS")
  [ -z "${POSTGRES_INITDB_WALDIR:-}" ] || args+=(--waldir "$POSTGRES_INITDB_WALDIR")
  [ -z "$POSTGRES_PASSWORD" ] || args+=(--pwfile=/dev/stdin)
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA" 2>/dev/null || true
  as_known_user initdb --username="$POSTGRES_USER" "${args[@]}" <<<"$POSTGRES_PASSWORD"
  printf '\nhost all all all %s\n' "${POSTGRES_HOST_AUTH_METHOD:-$(postgres -C password_encryption)}" >>"$PGDATA/pg_hba.conf"
}

# With --user the id may have no name, which initdb insists on.
as_known_user() {
  if getent passwd "$(id -u)" >/dev/null; then "$@"; return; fi
  local names
  names=$(mktemp -d)
  printf 'postgres:x:%s:%s::%s:/bin/false\n' "$(id -u)" "$(id -g)" "$PGDATA" >"$names/passwd"
  printf 'postgres:x:%s:\n' "$(id -g)" >"$names/group"
  LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD=$names/passwd NSS_WRAPPER_GROUP=$names/group "$@"
  rm -r "$names"
}

# A server that listens on its unix socket only, so that nobody outside meets a half-made database.
start_private_server() {
  postgres "$@" -c listen_addresses='' &
  private_server=$!
  trap stop_private_server EXIT
  until pg_isready -q -U "$POSTGRES_USER"; do
    kill -0 "$private_server" 2>/dev/null || fail 'error: the server that prepares the database did not start'
    sleep 0.05
  done
}

stop_private_server() {
  trap - EXIT
  kill -INT "$private_server" 2>/dev/null || true
  wait "$private_server" || true
}

# The name is the one that scripts in initdb.d know.
docker_process_sql() {
  PGHOST='' PGHOSTADDR='' PGUSER=$POSTGRES_USER PGDATABASE=$POSTGRES_DB \
    psql -v ON_ERROR_STOP=1 --no-psqlrc --no-password "$@"
}

make_database() {
  docker_process_sql -q --dbname postgres <<'SQL'
\getenv name POSTGRES_DB
SELECT format('CREATE DATABASE %I', :'name') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \gexec
SQL
}

run_initdb_scripts() {
  local file
  for file in /docker-entrypoint-initdb.d/*; do
    [ -e "$file" ] || continue
    echo "initdb.d: $file"
    # shellcheck source=/dev/null
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) docker_process_sql -f "$file" ;;
      *.sql.gz) gunzip -c "$file" | docker_process_sql ;;
      *.sql.xz) xzcat "$file" | docker_process_sql ;;
      *.sql.zst) zstd -dc "$file" | docker_process_sql ;;
      *) echo "initdb.d: passed over, of no known kind: $file" ;;
    esac
  done
}

make_everything() {
  check_settings
  refuse_old_layout
  make_cluster
  export PGPASSWORD="${PGPASSWORD:-$POSTGRES_PASSWORD}"
  start_private_server "$@"
  make_database
  run_initdb_scripts
  stop_private_server
  unset PGPASSWORD
  echo 'PostgreSQL init process complete; ready for start up.'
}

asks_only() {
  local arg
  for arg; do case $arg in -'?' | --help | --describe-config | -V | --version) return 0 ;; esac done
  return 1
}

case ${1:-} in -*) set -- postgres "$@" ;; esac
if [ "${1:-}" != postgres ] || asks_only "$@"; then exec "$@"; fi
[ "$(id -u)" != 0 ] || become_postgres "$@"
if [ -s "$PGDATA/PG_VERSION" ]; then
  echo 'PostgreSQL Database directory appears to contain a database; Skipping initialization'
else
  read_settings
  make_everything "${@:2}"
fi
exec "$@"
