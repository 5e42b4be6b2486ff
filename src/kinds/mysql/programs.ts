/**
 * The programs of MySQL and MariaDB: how one sees that a server runs, logs in, and changes its credentials. A caller's
 * texts travel by environment, or as hexadecimal digits on standard input; each program's own text is fixed.
 */
import { healthCheck } from '../health.ts'
import type { Address, Exec } from '../kind.ts'
import { type Sql, sqlOf } from './rotation.ts'

/** The settings of both kinds. */
export interface Credentials {
  databaseName: string
  databaseUser: string
  databasePassword: string
  databaseRootPassword: string
}

/** In what the two products differ. */
export interface Dialect extends Sql {
  /** The shell's words that give the client's path. */
  findClient: string
  /** Options of the client beyond those that both have. */
  options: string
}

export const port = 3306

/**
 * Whether the server listens, from the kernel's table (0CEA is 3306, 0A is listening), for one that still runs its
 * set-up has a socket only. Without a connection: MariaDB writes a line into its log for each that does not log in. A
 * server that hangs leaves connections waiting to be taken, which the table shows as well; the word after the state
 * ends with their number, which may be another in a moment.
 */
export const health = healthCheck(`
listens() {
  sockets=$(grep -Ehs ':0CEA 0+:0000 0A ' /proc/net/tcp /proc/net/tcp6) || return 1
  ! printf '%s\\n' "$sockets" | grep -Eqv ' 0A [0-9A-F]+:0+ '
}
answers() {
  end=$(($(date +%s) + $1))
  until listens; do
    [ "$(date +%s)" -lt "$end" ] || return 1
    sleep 0.1
  done
}`)

/** Without option files, which would lead elsewhere. The address is the container's own, or a port of its node. */
export const client = ({ findClient, options }: Pick<Dialect, 'findClient' | 'options'>) => `
client=$(${findClient}) || {
  echo 'The image has no client of the server' >&2
  exit 1
}
log_in() {
  "$client" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --connect-timeout=3 ${options} \\
    --default-character-set=utf8mb4 --batch --raw --silent --skip-column-names --skip-auto-rehash --binary-mode "$@"
}`

const readyScript = (dialect: Dialect) => `${client(dialect)}
version=$(log_in --user="$BERTH_USER" --database="$BERTH_DATABASE" -e "select substring_index(version(), '.', 2)") ||
  exit 1
MYSQL_PWD=$BERTH_ROOT_PASSWORD
log_in --user=root -e 'do 1' || exit 1
printf '%s\\n' "$version"
`

/** MYSQL_TEST_LOGIN_FILE: where MySQL's client would find log-ins even without option files. */
const envOf = (password: string, { host, port }: Address) => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  MYSQL_PWD: password,
  MYSQL_TEST_LOGIN_FILE: '/dev/null',
})

export function readyWith(dialect: Dialect) {
  const argv = ['sh', '-c', readyScript(dialect)]
  return (it: Credentials, address: Address): Exec => ({
    argv: [...argv],
    env: {
      ...envOf(it.databasePassword, address),
      BERTH_USER: it.databaseUser,
      BERTH_DATABASE: it.databaseName,
      BERTH_ROOT_PASSWORD: it.databaseRootPassword,
    },
  })
}

/**
 * What can be prepared is done first, over and over if need be; the last step is one statement that gives all accounts
 * their passwords. Where an attempt before got so far, root has its new one. What comes in is read whole before
 * anything is done, so that nothing is done by half when the other end goes away.
 */
const rotationScript = (dialect: Dialect) => `${client(dialect)}
wanted=$(cat)
case $wanted in
  *'-- whole') ;;
  *)
    echo 'The new credentials did not arrive whole' >&2
    exit 1
    ;;
esac
random=$(od -An -v -N 32 -tx1 /dev/urandom | tr -d ' \\n')
if [ "\${#random}" -ne 64 ]; then
  echo 'The image has no od and tr to make a random password with' >&2
  exit 1
fi
as_root() {
  log_in --user=root "$@"
}
if ! refusal=$(as_root -e 'do 1' 2>&1); then
  MYSQL_PWD=$BERTH_NEW_ROOT_PASSWORD
  as_root -e 'do 1' 2> /dev/null || {
    printf '%s\\n' "$refusal" >&2
    exit 1
  }
fi
session=$1
variables=$2
run() {
  printf '%s\\n' "$session" "$wanted" "set @random = 'Aa1!$random';" "$variables" "$@" | as_root
}
run "$3" || exit 1
grants=$(run "$4") || exit 1
run "$5" "$grants" || exit 1
run "$6"
`

export function rotateWith(dialect: Dialect) {
  const { session, variables, prepare, grants, unlogged, change } = sqlOf(dialect)
  const argv = ['sh', '-c', rotationScript(dialect), 'berth', session, variables, prepare, grants, unlogged, change]
  return (from: Credentials, to: Credentials, address: Address): Exec => ({
    argv: [...argv],
    env: { ...envOf(from.databaseRootPassword, address), BERTH_NEW_ROOT_PASSWORD: to.databaseRootPassword },
    stdin: wantedOf(from, to),
  })
}

function wantedOf(from: Credentials, to: Credentials): string {
  const texts = {
    old_database: from.databaseName,
    old_user: from.databaseUser,
    old_password: from.databasePassword,
    old_root_password: from.databaseRootPassword,
    database: to.databaseName,
    user: to.databaseUser,
    password: to.databasePassword,
    root_password: to.databaseRootPassword,
  }
  const lines = Object.entries(texts).map(([name, text]) => `set @${name} = convert(x'${hex(text)}' using utf8mb4);`)
  return [...lines, '-- whole'].join('\n')
}

const hex = (text: string) => Buffer.from(text).toString('hex')
