#!/bin/bash
# The entry point of the mysql and mariadb stand-ins: makes the data on the first start (MYSQL_* and MARIADB_*,
# /docker-entrypoint-initdb.d) as the official images' documentation describes, then becomes the server.
# Values reach SQL as hexadecimal digits, and the server itself quotes them.
set -Eeuo pipefail

fail() { printf '%s\n' "$@" >&2; exit 1; }

if command -v mariadbd >/dev/null; then
  server=mariadbd client=mariadb prefixes=(MARIADB MYSQL)
else
  server=mysqld client=mysql prefixes=(MYSQL)
fi
is_mariadb() { [ "$server" = mariadbd ]; }

declare -A setting=()

# MARIADB_X goes before MYSQL_X, which mysql alone knows; each may be given as a file that X_FILE names.
# Scripts in initdb.d find the value under both names.
read_setting() {
  local prefix name file value
  setting[$1]=''
  for prefix in "${prefixes[@]}"; do
    name=${prefix}_$1 file=${prefix}_$1_FILE value=''
    if [ -n "${!file:-}" ]; then
      [ -z "${!name:-}" ] || fail "error: both $name and $file are set; set one of them"
      value=$(<"${!file}")
    fi
    [ -n "${setting[$1]}" ] || setting[$1]=${value:-${!name:-}}
  done
  [ -n "${setting[$1]}" ] || return 0
  for prefix in "${prefixes[@]}"; do export "${prefix}_$1=${setting[$1]}"; done
}

read_settings() {
  local name
  for name in ROOT_PASSWORD ROOT_HOST DATABASE USER PASSWORD ALLOW_EMPTY_ROOT_PASSWORD ALLOW_EMPTY_PASSWORD \
    RANDOM_ROOT_PASSWORD INITDB_SKIP_TZINFO AUTO_UPGRADE; do read_setting "$name"; done
  : "${setting[ROOT_HOST]:=%}"
}

check_settings() {
  local prefix=${prefixes[0]} may_be_empty=${setting[ALLOW_EMPTY_ROOT_PASSWORD]}${setting[ALLOW_EMPTY_PASSWORD]}
  if [ -z "${setting[ROOT_PASSWORD]}${setting[RANDOM_ROOT_PASSWORD]}$may_be_empty" ]; then
    fail 'error: Database is uninitialized and password option is not specified. For the first start on an empty' \
      "volume, set one of ${prefix}_ROOT_PASSWORD, ${prefix}_RANDOM_ROOT_PASSWORD and MYSQL_ALLOW_EMPTY_PASSWORD."
  fi
  [ "${setting[USER]}" != root ] ||
    fail "error: ${prefix}_USER=root: root is always there; its password is ${prefix}_ROOT_PASSWORD"
  if [ -n "${setting[USER]}" ] && [ -z "${setting[PASSWORD]}" ]; then
    echo "warning: ${prefix}_USER without ${prefix}_PASSWORD: the user is not made" >&2
  fi
  if [ -n "${setting[RANDOM_ROOT_PASSWORD]}" ]; then
    setting[ROOT_PASSWORD]=$(head -c 24 /dev/urandom | base64)
    echo "GENERATED ROOT PASSWORD: ${setting[ROOT_PASSWORD]}"
  fi
}

# What files and arguments make of the server's options, one `name value` a line.
read_options() {
  local ask=("$server" "$@" --verbose --help --log-bin-index=/tmp/none)
  if ! options=$("${ask[@]}" 2>/dev/null); then
    "${ask[@]}" >/dev/null || true
    fail 'error: the server does not take its configuration'
  fi
  datadir=$(option datadir)
  socket=$(option socket)
}

option() { sed -En "/^$1 /{s/^[^ ]+ +//p;q}" <<<"$options"; }

become_mysql() {
  mkdir -p "$datadir" "${socket%/*}"
  find "$datadir" ! -user mysql -exec chown mysql: {} +
  chown mysql: "${socket%/*}"
  export HOME=/var/lib/mysql
  exec setpriv --reuid=mysql --regid=mysql --init-groups "$0" "$server" "$@"
}

make_data() {
  mkdir -p "$datadir"
  if is_mariadb; then
    mariadb-install-db --rpm --auth-root-authentication-method=normal --skip-test-db "$@" --datadir="$datadir" \
      --default-time-zone=SYSTEM --skip-log-bin --loose-innodb-buffer-pool-load-at-startup=0 >/dev/null
  else
    "$server" "$@" --initialize-insecure --default-time-zone=SYSTEM
  fi
}

# A server that listens on its unix socket only, so that nobody outside meets half-made data.
start_private_server() {
  is_mariadb || set -- "$@" --mysqlx=OFF
  "$server" "$@" --skip-networking --socket="$socket" &
  private_server=$!
  trap stop_private_server EXIT
  until docker_process_sql --database=mysql <<<'SELECT 1' &>/dev/null; do
    kill -0 "$private_server" 2>/dev/null || fail 'error: the server that prepares the data did not start'
    sleep 0.05
  done
}

stop_private_server() {
  trap - EXIT
  kill "$private_server" 2>/dev/null || true
  wait "$private_server" || true
}

# The name is the one that scripts in initdb.d know.
docker_process_sql() {
  [ -z "${setting[DATABASE]}" ] || set -- --database="${setting[DATABASE]}" "$@"
  # Since 11.4, MariaDB's client verifies certificates on the socket, too.
  ! is_mariadb || set -- --skip-ssl "$@"
  MYSQL_PWD=$root_password "$client" --protocol=socket --socket="$socket" --user=root \
    --default-character-set=utf8mb4 --comments "$@"
}

load_time_zones() {
  [ -z "${setting[INITDB_SKIP_TZINFO]}" ] || return 0
  local to_sql=mysql_tzinfo_to_sql
  ! is_mariadb || to_sql=mariadb-tzinfo-to-sql
  # One file of no zone holds a message instead of an abbreviation, which MySQL refuses as too long.
  "$to_sql" /usr/share/zoneinfo 2>/dev/null | sed 's/Local time zone must be set--see zic manual page/FCTY/' |
    docker_process_sql --database=mysql
}

make_accounts() {
  accounts | docker_process_sql --database=mysql
  root_password=${setting[ROOT_PASSWORD]}
}

# The names and passwords stand in variables of the session: already quoted, as a text or as a name.
accounts() {
  echo "SET SESSION sql_mode = '';"
  local name
  for name in ROOT_PASSWORD ROOT_HOST USER PASSWORD; do
    printf 'SET @%s = QUOTE(%s);\n' "$name" "$(text "${setting[$name]}")"
  done
  # MariaDB starts with a root of the container's host name as well, without a password.
  run "IFNULL((SELECT CONCAT('DROP USER ', GROUP_CONCAT(QUOTE(User), '@', QUOTE(Host)))
    FROM mysql.user WHERE User = 'root' AND Host <> 'localhost'), 'DO 0')"
  run "'ALTER USER root@localhost IDENTIFIED BY ', @ROOT_PASSWORD"
  if [ "${setting[ROOT_HOST]}" != localhost ]; then
    run "'CREATE USER root@', @ROOT_HOST, ' IDENTIFIED BY ', @ROOT_PASSWORD"
    run "'GRANT ALL ON *.* TO root@', @ROOT_HOST, ' WITH GRANT OPTION'"
  fi
  if [ -n "${setting[DATABASE]}" ]; then
    printf "SET @DATABASE = CONCAT('\`', REPLACE(%s, '\`', '\`\`'), '\`');\n" "$(text "${setting[DATABASE]}")"
    run "'CREATE DATABASE IF NOT EXISTS ', @DATABASE"
  fi
  [ -n "${setting[USER]}" ] && [ -n "${setting[PASSWORD]}" ] || return 0
  run "'CREATE USER ', @USER, '@''%'' IDENTIFIED BY ', @PASSWORD"
  [ -n "${setting[DATABASE]}" ] || return 0
  # In a grant the name is a pattern.
  local pattern=@DATABASE sign
  for sign in "'\\\\'" "'_'" "'%'"; do pattern="REPLACE($pattern, $sign, CONCAT('\\\\', $sign))"; done
  run "'GRANT ALL ON ', $pattern, '.* TO ', @USER, '@''%'''"
}

text() { printf "_utf8mb4 x'%s'" "$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')"; }

run() { printf 'SET @sql = CONCAT(%s);\nPREPARE statement FROM @sql;\nEXECUTE statement;\n' "$1"; }

run_initdb_scripts() {
  local file
  for file in /docker-entrypoint-initdb.d/*; do
    [ -e "$file" ] || continue
    echo "initdb.d: $file"
    # shellcheck source=/dev/null
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) docker_process_sql <"$file" ;;
      *.sql.bz2) bunzip2 -c "$file" | docker_process_sql ;;
      *.sql.gz) gunzip -c "$file" | docker_process_sql ;;
      *.sql.xz) xzcat "$file" | docker_process_sql ;;
      *.sql.zst) zstd -dc "$file" | docker_process_sql ;;
      *) echo "initdb.d: passed over, of no known kind: $file" ;;
    esac
  done
}

make_everything() {
  check_settings
  make_data "$@"
  root_password=''
  start_private_server "$@"
  load_time_zones
  make_accounts
  run_initdb_scripts
  stop_private_server
  echo "$server init process done. Ready for start up."
}

# MySQL upgrades its tables by itself when it starts.
upgrade_if_asked() {
  is_mariadb && [ -n "${setting[AUTO_UPGRADE]}" ] || return 0
  local version
  version=$("$server" --version | sed -En 's/.* Ver ([0-9.]+).*/\1/p')
  case $(cat "$datadir"/*_upgrade_info 2>/dev/null || true) in "$version"*) return 0 ;; esac
  root_password='' setting[DATABASE]=''
  start_private_server "$@" --skip-grant-tables
  mariadb-upgrade --skip-ssl --upgrade-system-tables --socket="$socket"
  stop_private_server
}

asks_only() {
  local arg
  for arg; do case $arg in -'?' | --help | -V | --version) return 0 ;; esac done
  return 1
}

case ${1:-} in
  -*) ;;
  mysqld | mariadbd) shift ;;
  *) exec "$@" ;;
esac
! asks_only "$@" || exec "$server" "$@"
read_options "$@"
[ "$(id -u)" != 0 ] || become_mysql "$@"
read_settings
if [ -d "$datadir/mysql" ]; then
  upgrade_if_asked "$@"
else
  make_everything "$@"
fi
exec "$server" "$@"
