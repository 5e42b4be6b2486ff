/** MariaDB from 10.4: what it takes, how its image is set up, and in what its accounts differ from MySQL's. */
import { z } from 'zod'
import { kind } from '../kind.ts'
import { mysqlBackup } from '../mysql/backup.ts'
import { dataPath, opens, url, versionOf } from '../mysql/dialect.ts'
import { type Dialect, health, port, readyWith, rotateWith } from '../mysql/programs.ts'
import { isSame, named, old } from '../mysql/rotation.ts'
import { databaseName, databaseUser, reservedFor } from '../mysql/settings.ts'
import { printable } from '../printable.ts'

/** The tables of accounts and names hold the first 65,536 characters of Unicode alone. */
const isShort = (it: string) => !/[\u{10000}-\u{10ffff}]/u.test(it)
const shortOnly = 'must not contain emoji or others beyond U+FFFF, which MariaDB does not take in names: leave them out'

/** The entry script passes it through `echo`, which takes such a text for its own options and prints none. */
const isEchoed = (it: string) => !/^-[neE]+$/.test(it)

const password = () =>
  printable(z.string().max(255, 'must have at most 255 characters')).refine(
    isEchoed,
    'must not be - with letters n, e and E alone, which the set-up of the image loses: choose another',
  )

const settings = z.object({
  databaseName: databaseName().refine(isShort, shortOnly),
  databaseUser: databaseUser(80).refine(isShort, shortOnly),
  databasePassword: password(),
  databaseRootPassword: password(),
})

const plugins = "'ed25519', 'parsec'"
const isNative = "plugin in ('', 'mysql_native_password')"

/** An account that nobody can log in to: MariaDB changes the others although it refuses one's password. */
const trialOf = (condition: string, user: string, text: string) => {
  const account = `${named(user)}, '@', ${named("concat('berth-', right(@random, 16))")}`
  return [
    `if(@is_clear and ${condition}, concat('create or replace user ', ${account},
  ' identified via mysql_native_password using password(', quote(${text}), ') account lock'), 'do 0')`,
    `if(@is_clear and ${condition}, concat('drop user ', ${account}), 'do 0')`,
  ]
}

const dialect: Dialect = {
  findClient: 'command -v mariadb || command -v mysql',
  // TLS where the server has it; from 11.4 on it makes itself a certificate, which the client wants to check.
  options: '--ssl --skip-ssl-verify-server-cert --loose-skip-print-query-on-error',
  session: 'set session slow_query_log = 0, session old_passwords = 0;\n',
  /**
   * The binary log keeps statements as they come: where a password cannot be set as a hash, because of the account's
   * plugin or of one that checks passwords, accounts are changed without that log.
   */
  judge: `set @is_clear = exists (select * from information_schema.plugins
    where plugin_type = 'PASSWORD VALIDATION' and plugin_status = 'ACTIVE')
  or exists (select * from mysql.user where plugin in (${plugins})
    and (${isSame('user', '@user')} or ${isSame('user', '@old_user')} or user = 'root'));
`,
  unlogged: 'set session sql_log_bin = if(@is_clear, 0, @@session.sql_log_bin);',
  trials: [...trialOf('@is_password', '@user', '@password'), ...trialOf('@is_root', "'root'", '@root_password')],
  hasPassword: `(${isNative} or plugin in (${plugins})) and not exists (select * from mysql.global_priv
    where global_priv.user = mysql.user.user and global_priv.host = mysql.user.host
      and json_exists(priv, '$.auth_or'))`,
  identified: (plugin, text) => `concat(' identified via ',
    if(${plugin} in (${plugins}), ${plugin}, 'mysql_native_password'), ' using ',
    if(@is_clear, concat('password(', quote(${text}), ')'), quote(password(${text}))))`,
  attributes: `' require ', case ssl_type when 'ANY' then 'ssl' when 'X509' then 'x509' else 'none' end,
    ' with max_queries_per_hour ', max_questions, ' max_updates_per_hour ', max_updates,
    ' max_connections_per_hour ', max_connections, ' max_user_connections ', max_user_connections,
    ' max_statement_time ', max_statement_time, ' account unlock password expire ',
    (select case coalesce(json_value(priv, '$.password_lifetime'), -1) when -1 then 'default' when 0 then 'never'
        else concat('interval ', json_value(priv, '$.password_lifetime'), ' day') end
      from mysql.global_priv where global_priv.user = mysql.user.user and global_priv.host = mysql.user.host)`,
  grants: [
    `select concat('grant ', ${named('role')}, ' to ', @account, if(admin_option = 'Y', ' with admin option', ''), ';')
  from mysql.roles_mapping where @is_other and ${old}`,
    `select concat('set default role ', ${named('default_role')}, ' for ', @account, ';')
  from mysql.user where @is_other and ${old}
   and default_role in (select role from mysql.roles_mapping where ${old})`,
  ],
}

/** A role has no host. Servers that check passwords take no hash: there a missing account fails the restore. */
const makeAccount = `if(host = '', if(user = 'PUBLIC', 'do 0', concat('CREATE ROLE IF NOT EXISTS ', ${named('user')})),
  concat('CREATE USER IF NOT EXISTS ', ${named('user')}, '@', ${named('host')},
    ' IDENTIFIED VIA mysql_native_password USING ''*THISISNOTAVALIDPASSWORDTHATCANBEUSEDHERE'' ACCOUNT LOCK'))`

/** What is in an account's JSON beyond its passwords, which have columns, or are others' than the first. */
const beside = {
  attributes: `(select json_remove(priv, '$.authentication_string', '$.auth_or', '$.password_last_changed',
      '$.version_id')
    from mysql.global_priv where global_priv.user = mysql.user.user and global_priv.host = mysql.user.host)`,
  lists: [
    `select concat('role of an account\\t', concat_ws('\\t', quote(user), quote(host), quote(role), admin_option))
  from mysql.roles_mapping`,
    `select concat('other passwords of an account\\t', concat_ws('\\t', quote(user), quote(host)))
  from mysql.global_priv where json_exists(priv, '$.auth_or')`,
  ],
}

const backup = mysqlBackup({
  beside,
  findClient: dialect.findClient,
  options: dialect.options,
  findDump: 'command -v mariadb-dump || command -v mysqldump',
  dumpOptions: '--ssl --skip-ssl-verify-server-cert',
  makeAccount,
  promise: ' Of versioned tables the rows of now, without their history.',
})

export const mariadb = kind({
  name: 'mariadb',
  label: 'MariaDB',
  idField: 'mariadbId',
  defaultImage: 'mariadb:6',
  port,
  mayNameItself: false,
  settings,
  secrets: ['databasePassword', 'databaseRootPassword'],
  reserved: reservedFor(['MARIADB', 'MYSQL']),
  versionOf,
  imageVersion: {
    variables: ['MARIADB_VERSION', 'MARIADB_MAJOR'],
    argv: ['sh', '-c', '"$(command -v mariadbd || command -v mysqld)" --version'],
    printed: / Ver (\S+)/,
  },
  opens,
  dataPath,
  env: (it) => ({
    MARIADB_DATABASE: it.databaseName,
    MARIADB_USER: it.databaseUser,
    MARIADB_PASSWORD: it.databasePassword,
    MARIADB_ROOT_PASSWORD: it.databaseRootPassword,
  }),
  url,
  health,
  ready: readyWith(dialect),
  rotate: rotateWith(dialect),
  backup,
  manualBackup: 'manualBackupMariadb',
})
