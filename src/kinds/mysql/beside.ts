/**
 * What a server of MySQL or MariaDB holds beside its databases' contents, listed in full: accounts, all that they may,
 * and what was set on it. None of it can be made again by statements that both products share, so nothing is given.
 */
import { type Beside, type Program, secretFile, secretPath } from '../backup.ts'
import type { Address } from '../kind.ts'
import { client, type Credentials, type Dialect } from './programs.ts'

/** In what the two products' lists differ. */
export interface BesideDialect extends Pick<Dialect, 'findClient' | 'options'> {
  /** An SQL expression over mysql.user: what an account has beyond what both products have there. */
  attributes: string
  /** Queries that print further lines, each a text. */
  lists: readonly string[]
}

/** The image makes these with passwords of its own, or Berth gave them those that the new server was made with. */
const isOwn = "(user in ('root', 'healthcheck') or cast(user as binary) = @own)"

const line = (sort: string, ...columns: string[]) =>
  String.raw`concat('${sort}\t', concat_ws('\t', ${columns.map((it) => `quote(${it})`).join(', ')}))`

/** The dumps carry them, with what they may be read by. */
const databases = String.raw`select concat('database\t', lower(hex(convert(schema_name using utf8mb4))))
  from information_schema.schemata
 where schema_name not in ('information_schema', 'mysql', 'performance_schema', 'sys');
select ${line('properties of a database', 'schema_name', 'default_character_set_name', 'default_collation_name')}
  from information_schema.schemata;`

const shared = [
  `select ${line('grant', 'grantee', 'privilege_type', 'is_grantable')} from information_schema.user_privileges`,
  `select ${line('grant in a database', 'grantee', 'table_schema', 'privilege_type', 'is_grantable')}
  from information_schema.schema_privileges`,
  `select ${line('grant on a table', 'grantee', 'table_schema', 'table_name', 'privilege_type', 'is_grantable')}
  from information_schema.table_privileges`,
  `select ${line(
    'grant on a column',
    'grantee',
    'table_schema',
    'table_name',
    'column_name',
    'privilege_type',
    'is_grantable',
  )} from information_schema.column_privileges`,
  `select ${line('grant on a routine', 'user', 'host', 'db', 'routine_name', 'routine_type', 'proc_priv')}
  from mysql.procs_priv`,
  `select ${line('proxy', 'user', 'host', 'proxied_user', 'proxied_host', 'with_grant')} from mysql.proxies_priv`,
  `select ${line('plugin', 'name', 'dl')} from mysql.plugin`,
  `select ${line('function', 'name', 'dl')} from mysql.func`,
  `select ${line('server', 'server_name', 'host', 'db', 'username', 'port', 'wrapper')} from mysql.servers`,
]

const accounts = ({ attributes }: BesideDialect) => `select ${line(
  'account',
  'user',
  'host',
  'plugin',
  'ssl_type',
  'ssl_cipher',
  'x509_issuer',
  'x509_subject',
  'max_questions',
  'max_updates',
  'max_connections',
  'max_user_connections',
  'password_expired',
  attributes,
  `if(${isOwn}, '', sha2(authentication_string, 256))`,
)}
  from mysql.user;`

const queries = (it: BesideDialect) => `set names utf8mb4; set session sql_mode = '';
${databases}
${accounts(it)}
${[...shared, ...it.lists].join(';\n')};`

const script = (it: BesideDialect) => `${client(it)}
MYSQL_PWD=$(cat ${secretPath}) || exit 1
export MYSQL_PWD
own=$(printf %s "$BERTH_USER" | od -An -v -tx1 | tr -d ' \\n')
printf "set @own = x'%s';\\n%s\\n" "$own" "$1" | log_in --user=root
`

export function mysqlBeside(it: BesideDialect): Beside<Credentials & Record<string, unknown>> {
  const argv = ['sh', '-c', script(it), 'berth', queries(it)]
  return {
    dumped: [
      'database',
      'properties of a database',
      'grant in a database',
      'grant on a table',
      'grant on a column',
      'grant on a routine',
    ],
    list: ({ databaseUser, databaseRootPassword }, { host, port }: Address): Program => ({
      argv,
      env: { BERTH_HOST: host, BERTH_PORT: String(port), BERTH_USER: databaseUser, MYSQL_TEST_LOGIN_FILE: '/dev/null' },
      files: secretFile(databaseRootPassword),
    }),
  }
}
