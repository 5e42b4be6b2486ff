/** MySQL from 8.0: what it takes, how its image is set up, and in what its accounts differ from MariaDB's. */
import { z } from 'zod'
import { kind } from '../kind.ts'
import { mysqlBackup } from './backup.ts'
import { dataPath, opens, url, versionOf } from './dialect.ts'
import { type Dialect, health, port, readyWith, rotateWith } from './programs.ts'
import { isSame, named, old } from './rotation.ts'
import { databaseName, databaseUser, reservedFor } from './settings.ts'
import { printable } from '../printable.ts'

/** The official image has no locale, so its client reads names as Latin-1, and what comes of that nobody can type. */
const isAscii = (it: string) => /^[\x20-\x7e]*$/.test(it)
const asciiOnly = 'must have ASCII characters only, for the set-up of the image misreads others: leave them out'

/**
 * A client without TLS sends it encrypted with the server's RSA key of 2048 bits, into which no more fits. Source:
 * measured; 256 are the limit of caching_sha2_password.
 */
const password = () =>
  printable(z.string())
    .refine((it) => Buffer.byteLength(it) <= 213, 'must have at most 213 bytes in UTF-8: choose a shorter one')
    .refine(
      (it) => !/['\\]/.test(it),
      "must not contain ' or \\, which the set-up of the image takes for signs of its own: leave them out",
    )

const settings = z.object({
  databaseName: databaseName().refine(isAscii, asciiOnly),
  databaseUser: databaseUser(32).refine(isAscii, asciiOnly),
  databasePassword: password(),
  databaseRootPassword: password().refine(
    (it) => !it.includes('"'),
    'must not contain ", where the set-up of the image would cut it off: leave it out',
  ),
})

const plugins = "'caching_sha2_password', 'sha256_password', 'mysql_native_password'"
const toOld = `@is_other and to_host = '%' and ${isSame('to_user', '@old_user')}`

const dialect: Dialect = {
  findClient: 'command -v mysql',
  options: '--get-server-public-key',
  session: '',
  judge: '',
  unlogged: '',
  trials: [],
  hasPassword: `plugin in (${plugins})`,
  identified: (plugin, text) => `concat(' identified', if(${plugin} in (${plugins}), concat(' with ', ${plugin}), ''),
    ' by ', quote(${text}))`,
  attributes: `' require ', case ssl_type when 'ANY' then 'ssl' when 'X509' then 'x509' else 'none' end,
    ' with max_queries_per_hour ', max_questions, ' max_updates_per_hour ', max_updates,
    ' max_connections_per_hour ', max_connections, ' max_user_connections ', max_user_connections,
    ' password expire ', coalesce(if(password_lifetime = 0, 'never', concat('interval ', password_lifetime, ' day')),
      'default'), ' account unlock'`,
  grants: [
    `select concat('grant ', ${named('from_user')}, '@', ${named('from_host')}, ' to ', @account,
    if(with_admin_option = 'Y', ' with admin option', ''), ';')
  from mysql.role_edges where ${toOld} and not ${isSame('from_user', '@user')}`,
    `select concat('alter user ', @account, ' default role ',
    group_concat(${named('default_role_user')}, '@', ${named('default_role_host')} separator ', '), ';')
  from mysql.default_roles where @is_other and ${old}
having count(*) > 0`,
    // What partial_revokes has taken away again.
    `select concat('revoke ', replace(replace(replace(taken, '["', ''), '"]', ''), '"', ''), ' on ',
    ${named('restricted')}, '.* from ', @account, ';')
  from mysql.user, json_table(user_attributes, '$.Restrictions[*]'
    columns (restricted varchar(64) path '$.Database', taken json path '$.Privileges')) as restrictions
 where @is_other and ${old}`,
  ],
}

/** A hash that no password has, as the server's own accounts have it. */
const makeAccount = `concat('CREATE USER IF NOT EXISTS ', ${named('user')}, '@', ${named('host')},
  ' IDENTIFIED WITH caching_sha2_password AS ',
  '''$A$005$THISISACOMBINATIONOFINVALIDSALTANDPASSWORDTHATMUSTNEVERBRBEUSED'' ACCOUNT LOCK')`

/** A role is an account; what was set for good is in a file of the server's. */
const beside = {
  attributes: `concat_ws(', ', account_locked, coalesce(password_lifetime, ''), coalesce(password_reuse_history, ''),
    coalesce(password_reuse_time, ''), coalesce(password_require_current, ''), coalesce(user_attributes, ''))`,
  lists: [
    `select concat('role of an account\\t', concat_ws('\\t', quote(from_user), quote(from_host), quote(to_user),
    quote(to_host), with_admin_option)) from mysql.role_edges`,
    `select concat('default role of an account\\t', concat_ws('\\t', quote(user), quote(host),
    quote(default_role_user), quote(default_role_host))) from mysql.default_roles`,
    `select concat('setting of the server\\t', concat_ws('\\t', quote(variable_name), quote(variable_value)))
  from performance_schema.persisted_variables`,
    `select concat('component\\t', quote(component_urn)) from mysql.component`,
  ],
}

/** The state of replication is the server's, and statistics are what older servers know nothing of. */
const backup = mysqlBackup({
  beside,
  findClient: dialect.findClient,
  options: dialect.options,
  findDump: 'command -v mysqldump',
  dumpOptions: [
    '--get-server-public-key --set-gtid-purged=OFF --loose-column-statistics=0',
    // Since 8.4; of an older one all tables are asked for before.
    '--loose-init-command="set session lock_wait_timeout = $BERTH_LOCK_SECONDS"',
  ].join(' '),
  makeAccount,
  promise: '',
})

export const mysql = kind({
  name: 'mysql',
  label: 'MySQL',
  idField: 'mysqlId',
  defaultImage: 'mysql:8',
  port,
  mayNameItself: false,
  settings,
  secrets: ['databasePassword', 'databaseRootPassword'],
  reserved: reservedFor(['MYSQL']),
  versionOf,
  imageVersion: { variables: ['MYSQL_VERSION', 'MYSQL_MAJOR'], argv: ['mysqld', '--version'], printed: / Ver (\S+)/ },
  opens,
  dataPath,
  env: (it) => ({
    MYSQL_DATABASE: it.databaseName,
    MYSQL_USER: it.databaseUser,
    MYSQL_PASSWORD: it.databasePassword,
    MYSQL_ROOT_PASSWORD: it.databaseRootPassword,
  }),
  url,
  health,
  ready: readyWith(dialect),
  rotate: rotateWith(dialect),
  backup,
  manualBackup: 'manualBackupMySql',
})
