#!/bin/bash
# The entry point of the mongo stand-in: makes the first user on the first start (MONGO_INITDB_*,
# /docker-entrypoint-initdb.d) as the official image's documentation describes, then becomes the server.
# Values reach JavaScript as hexadecimal digits.
set -Eeuo pipefail

fail() { printf '%s\n' "$@" >&2; exit 1; }

# MONGO_INITDB_X_FILE names a file that holds MONGO_INITDB_X.
read_from_file() {
  local name=$1 file=$1_FILE value
  [ -n "${!file:-}" ] || return 0
  [ -z "${!name:-}" ] || fail "error: both $name and $file are set; set one of them"
  value=$(<"${!file}") # by itself, so that a file that cannot be read ends the start
  export "$name=$value"
}

read_settings() {
  read_from_file MONGO_INITDB_ROOT_USERNAME
  read_from_file MONGO_INITDB_ROOT_PASSWORD
  root=${MONGO_INITDB_ROOT_USERNAME:-} password=${MONGO_INITDB_ROOT_PASSWORD:-}
  case ${root:+set}-${password:+set} in
    set- | -set) fail 'error: set both or neither of MONGO_INITDB_ROOT_USERNAME and MONGO_INITDB_ROOT_PASSWORD' ;;
  esac
  export MONGO_INITDB_DATABASE="${MONGO_INITDB_DATABASE:-test}"
}

has_argument() { # NAME ARGUMENT...
  local name=$1 argument
  for argument in "${@:2}"; do case $argument in "$name" | "$name="*) return 0 ;; esac done
  return 1
}

value_of_argument() { # NAME ARGUMENT...
  local name=$1
  while shift && [ $# -gt 0 ]; do
    case $1 in
      "$name") printf '%s' "${2:-}"; return ;;
      "$name="*) printf '%s' "${1#*=}"; return ;;
    esac
  done
}

# The value of a key of the configuration file, if there is a file and it has the key.
configured() { # KEY
  [ -z "$config" ] || sed -En "s/^[[:space:]]*$1:[[:space:]]*[\"']?([^\"'#]*[^\"'# ]).*/\1/p" "$config" | head -n1
}

read_arguments() {
  config=$(value_of_argument --config "$@")
  [ -n "$config" ] || config=$(value_of_argument -f "$@")
  data=$(value_of_argument --dbpath "$@")
  [ -n "$data" ] || data=$(configured dbPath)
  if [ -z "$data" ]; then
    data=/data/db
    ! has_argument --configsvr "$@" || data=/data/configdb
  fi
}

become_mongodb() {
  if [ "$1" = mongod ]; then
    read_arguments "${@:2}"
    mkdir -p "$data"
    find "$data" /data/configdb ! -user mongodb -exec chown mongodb: {} +
  fi
  exec setpriv --reuid=mongodb --regid=mongodb --init-groups "$0" "$@"
}

is_new() {
  local name
  for name in WiredTiger journal local.0 storage.bson; do [ ! -e "$data/$name" ] || return 1; done
}

# A server for this container alone, so that nobody outside meets a database without its users. Of the
# arguments it has those that say how the files lie; access control and replication come with the real one.
start_private_server() {
  local kept=(--dbpath "$data")
  [ -z "$config" ] || kept+=(--config "$config" --noauth --replSet '')
  while [ $# -gt 0 ]; do
    case $1 in
      --directoryperdb | --storageEngine=* | --wiredTiger*=* | --wiredTigerDirectoryForIndexes) kept+=("$1") ;;
      --storageEngine | --wiredTiger*) kept+=("$1" "${2:-}") ;;
    esac
    shift
  done
  mongod "${kept[@]}" --bind_ip 127.0.0.1 --port 27017 &
  private_server=$!
  trap stop_private_server EXIT
  until (: </dev/tcp/127.0.0.1/27017) 2>/dev/null; do
    kill -0 "$private_server" 2>/dev/null || fail 'error: the server that prepares the database did not start'
    sleep 0.05
  done
}

stop_private_server() {
  trap - EXIT
  kill "$private_server" 2>/dev/null || true
  wait "$private_server" || true
}

run_script() { # DATABASE FILE
  local shell=mongo
  ! command -v mongosh >/dev/null || shell=mongosh
  "$shell" --quiet "127.0.0.1:27017/$1" "$2"
}

make_root() {
  [ -n "$root" ] || return 0
  local script
  script=$(mktemp --suffix=.js)
  printf 'db.createUser({user: %s, pwd: %s, roles: [{role: "root", db: "admin"}]})\n' \
    "$(text "$root")" "$(text "$password")" >"$script"
  run_script admin "$script"
  rm "$script"
}

text() { printf 'decodeURIComponent("%s")' "$(printf %s "$1" | od -An -v -tx1 | tr -d '\n' | tr ' ' %)"; }

run_initdb_scripts() {
  local file
  for file in /docker-entrypoint-initdb.d/*; do
    [ -e "$file" ] || continue
    echo "initdb.d: $file"
    # shellcheck source=/dev/null
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.js) run_script "$MONGO_INITDB_DATABASE" "$file" ;;
      *) echo "initdb.d: passed over, of no known kind: $file" ;;
    esac
  done
}

make_everything() {
  start_private_server "$@"
  make_root
  run_initdb_scripts
  stop_private_server
  echo 'MongoDB init process complete; ready for start up.'
}

asks_only() {
  local arg
  for arg; do case $arg in -h | --help | --version) return 0 ;; esac done
  return 1
}

case ${1:-} in -*) set -- mongod "$@" ;; esac
case ${1:-} in mongo*) asks_only "$@" || [ "$(id -u)" != 0 ] || become_mongodb "$@" ;; esac
if [ "${1:-}" != mongod ] || asks_only "$@"; then exec "$@"; fi
shift
read_settings
read_arguments "$@"
if is_new && { [ -n "$root" ] || [ -n "$(ls /docker-entrypoint-initdb.d)" ]; }; then make_everything "$@"; fi
has_argument --bind_ip "$@" || has_argument --bind_ip_all "$@" || [ -n "$(configured bindIp)" ] ||
  set -- "$@" --bind_ip_all
[ -z "$root" ] || has_argument --auth "$@" || set -- "$@" --auth
exec mongod "$@"
