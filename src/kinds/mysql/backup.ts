/**
 * The backup of MySQL and MariaDB: the dump of one database in one transaction, as SQL; before it the database's
 * defaults, after it the grants in it and a mark that all of it is there.
 */
import {
  type Backup,
  defaultLockSeconds,
  missingStatus,
  type Place,
  type Program,
  secretFile,
  secretPath,
  type Target,
} from '../backup.ts'
import { completeMark, mysqlReader } from './archive.ts'
import { type BesideDialect, mysqlBeside } from './beside.ts'
import { client, type Credentials, type Dialect } from './programs.ts'
import { named } from './rotation.ts'

/** In what the two products' backups differ. */
export interface BackupDialect extends Pick<Dialect, 'findClient' | 'options'> {
  beside: Pick<BesideDialect, 'attributes' | 'lists'>
  /** The shell's words that give the dump program's path. */
  findDump: string
  /** Options of the dump program beyond those that both have. */
  dumpOptions: string
  /** An SQL expression of `user` and `host`: a statement that makes an account which nobody can log in to. */
  makeAccount: string
  /** What the product adds to the promise of both. */
  promise: string
}

/** Names are compared as bytes. In a pattern signs are escaped where they stand for themselves. */
const isHere = String.raw`cast(database() as binary) in
  (cast(db as binary), cast(replace(replace(db, '\\_', '_'), '\\%', '%') as binary))`

const accounts = (text: string) => `set names utf8mb4 collate utf8mb4_bin; set session sql_mode = '';
select ${text} from (
  select user, host from mysql.db where ${isHere}
  union select user, host from mysql.tables_priv where ${isHere}
  union select user, host from mysql.procs_priv where ${isHere}) as granted order by user, host;`

const showGrants = accounts("concat('show grants for ', quote(user), if(host = '', '', concat('@', quote(host))), ';')")

const here = (name: string) => `cast(${name} as binary) = cast(database() as binary)`

/** Statements that each wait for the lock of one table. */
const askTables = `set names utf8mb4; set session sql_mode = '';
select concat('select 1 from ', ${named('table_name')}, ' limit 0;') from information_schema.tables
 where ${here('table_schema')} and table_type in ('BASE TABLE', 'SYSTEM VERSIONED');`

const defaults = `select concat('ALTER DATABASE CHARACTER SET ', @@character_set_database,
  ' COLLATE ', @@collation_database, ';')`

const start = (it: BackupDialect) => `${client(it)}
MYSQL_PWD=$(cat ${secretPath}) || exit 1
export MYSQL_PWD
as_root() {
  log_in --user=root --database="$BERTH_DATABASE" --max-allowed-packet=1G "$@"
}
`

/** What follows the dump's ||, and then the grants; none where the database has none. */
const grantsScript = String.raw` {
  case $BERTH_DATABASE in
    *[\'\"\\]*) echo 'Routines and events of a database with a quote or backslash in its name cannot be dumped' >&2 ;;
  esac
  exit 1
}
hex() {
  printf %s "$1" | od -An -v -tx1 | tr -d ' \n'
}
made=$(printf '%s\n' "$2" | as_root) || exit 1
asked=$(printf '%s\n' "$3" | as_root) || exit 1
granted=$(printf '%s\n' "$asked" | as_root) || exit 1
name=$(hex "$BERTH_DATABASE")
tick=$(printf '\140')
plain=$(printf '%s\n' "$BERTH_DATABASE" | sed "s/$tick/&&/g")
pattern=$(printf '%s\n' "$plain" | sed 's/[\\_%]/\\&/g')
printf '%s\n' "$made" "$granted" | while IFS= read -r line; do
  case $line in
    'CREATE '*) ;;
    *" ON $tick$plain$tick."* | *" ON $tick$pattern$tick."*) ;;
    *" ON PROCEDURE $tick$plain$tick."* | *" ON FUNCTION $tick$plain$tick."*) ;;
    *" ON PACKAGE $tick$plain$tick."* | *" ON PACKAGE BODY $tick$plain$tick."*) ;;
    *) continue ;;
  esac
  printf "SET @berth_grant = if(cast(database() as binary) = x'%s', convert(x'%s' using utf8mb4), 'do 0');\n" \
    "$name" "$(hex "$line")" || exit 1
  printf 'PREPARE berth FROM @berth_grant;\nEXECUTE berth;\nDEALLOCATE PREPARE berth;\n' || exit 1
done || exit 1
`

/**
 * Locks no table: what another session changes in the definition of one while it is read makes the dump fail. One that
 * another session holds is waited for, for a time: most versions of the tool would wait for a year. Each grant is a
 * statement of the server's own words, in hexadecimal digits, for a database of this name. 1049 is the error of a
 * database that is not there. Source: dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html.
 */
const dumpScript = (it: BackupDialect) =>
  [
    start(it),
    `
dump=$(${it.findDump}) || {
  echo 'The image has no program that dumps' >&2
  exit 1
}
refusal=$(as_root -e 'do 1' 2>&1) || {
  printf '%s\\n' "$refusal" >&2
  case $refusal in
    *'ERROR 1049 '*) exit ${missingStatus} ;;
  esac
  exit 1
}
tables=$(printf '%s\\n' "$4" | as_root) || exit 1
printf 'set session lock_wait_timeout = %s;\\n%s\\n' "$BERTH_LOCK_SECONDS" "$tables" | as_root >/dev/null || {
  echo 'Not all tables could be read. Another session may hold a lock, as LOCK TABLES and ALTER TABLE do' >&2
  exit 1
}
as_root -e "$1" || exit 1
"$dump" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --user=root ${it.dumpOptions} \\
  --default-character-set=utf8mb4 --max-allowed-packet=1G --single-transaction --quick --skip-lock-tables \\
  --skip-add-locks --complete-insert --hex-blob --routines --triggers --events --no-tablespaces --skip-dump-date \\
  -- "$BERTH_DATABASE" ||`,
    grantsScript,
    `printf '%s\\n' "${completeMark}"\n`,
  ].join('')

const dropAll = `set names utf8mb4; set session sql_mode = '', group_concat_max_len = 1048576;
select 'set foreign_key_checks = 0; set session lock_wait_timeout = 60;';
select concat('drop ', case table_type when 'VIEW' then 'view' when 'SEQUENCE' then 'sequence' else 'table' end,
    ' if exists ', ${named('table_name')}, ';')
  from information_schema.tables where ${here('table_schema')};
select concat('drop ', routine_type, ' if exists ', ${named('routine_name')}, ';')
  from information_schema.routines where ${here('routine_schema')} order by routine_type desc;
select concat('drop event if exists ', ${named('event_name')}, ';')
  from information_schema.events where ${here('event_schema')};`

const others = `select concat('kill ', id, ';') from information_schema.processlist
 where ${here('db')} and id <> connection_id();`

/** The name takes the place of the question mark, in hexadecimal digits. */
const create = `set names utf8mb4; set session sql_mode = '';
set @berth = concat('create database if not exists ', ${named("x'?'")});
prepare berth from @berth;
execute berth;`

/**
 * The rows of a table may be longer than the server takes in one packet, for they are in hexadecimal digits: as long as
 * the restore runs it takes more. Comments in routines are kept. That all of it was read shows in the last answer.
 */
const restoreScript = (it: BackupDialect) =>
  [
    start(it),
    String.raw`
name=$(printf %s "$BERTH_DATABASE" | od -An -v -tx1 | tr -d ' \n')
printf '%s\n' "$1" | sed "s/x'?'/x'$name'/g" | log_in --user=root || exit 1
packet=$(as_root -e 'select @@global.max_allowed_packet') || exit 1
trap 'as_root -e "set global max_allowed_packet = $packet"' EXIT
trap 'exit 1' HUP INT TERM
as_root -e 'set global max_allowed_packet = 1073741824' || exit 1
ended=$(as_root -e "$2") || exit 1
printf '%s\n' "$ended" | as_root --force 2>/dev/null
dropped=$(printf '%s\n' "$3" | as_root) || exit 1
printf '%s\n' "$dropped" | as_root || exit 1
said=$(as_root --comments | tail -n 1)
if [ "$said" != 'Berth: complete' ]; then
  echo 'Not all of the archive was restored' >&2
  exit 1
fi
`,
  ].join('')

const envOf = ({ host, port, database, lockSeconds = defaultLockSeconds }: Place): Record<string, string> => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  BERTH_DATABASE: database,
  MYSQL_TEST_LOGIN_FILE: '/dev/null',
  BERTH_LOCK_SECONDS: String(lockSeconds),
})

export function mysqlBackup(it: BackupDialect): Backup<Credentials & Record<string, unknown>> {
  const files = ({ databaseRootPassword }: Credentials) => secretFile(databaseRootPassword)
  const program =
    (script: string, ...texts: string[]) =>
    (settings: Credentials, place: Place): Program => ({
      argv: ['sh', '-c', script, 'berth', ...texts],
      env: envOf(place),
      files: files(settings),
    })
  const dumpWith = program(dumpScript(it), defaults, accounts(it.makeAccount), showGrants, askTables)
  const restoreWith = program(restoreScript(it), create, others, dropAll)
  return {
    extension: 'sql',
    promise:
      'All tables of transactional engines (InnoDB) as they were at one instant, with views, routines, ' +
      'triggers, events, definers, and the grants in the database, which are restored into one of the same name. ' +
      'Tables of other engines, definitions and grants are as they were when each was read. Not in it: passwords, ' +
      `other databases.${it.promise}`,
    restores:
      'All sessions in the database are ended, and its tables, views, routines, events and sequences are ' +
      'dropped before the archive is read: who comes back meanwhile sees a part of it, and a failure leaves it so. ' +
      'Grants that the archive does not have stay; accounts that are missing are made, locked.',
    still: ['--event-scheduler=OFF'],
    dump: (settings, place) => ({ ...dumpWith(settings, place), missingStatus }),
    restore: (settings, target: Target) => restoreWith(settings, target),
    reader: mysqlReader,
    beside: mysqlBeside({ ...it, ...it.beside }),
  }
}
