/** MariaDB from 10.4: the limits of its settings, how its image is configured, and how it differs from MySQL. */
import { z } from 'zod'
import { textFile } from '../../lib/text-file.ts'
import { isNotOwnName, kind, settingTexts } from '../kind.ts'
import { mysqlBackup } from '../mysql/backup.ts'
import { dataPath, errorLogFaults, opens, url, versionOf } from '../mysql/dialect.ts'
import { type Dialect, health, port, readyWith, rotateWith } from '../mysql/programs.ts'
import { ownAccountsWith } from '../mysql/own-accounts.ts'
import { databaseName, databaseUser, databaseUserText, reservedFor } from '../mysql/settings.ts'
import { sqlFile } from '../mysql/sql.ts'
import { mariadbSeries } from '../series-ends.ts'
import { printable } from '../printable.ts'

/** MariaDB stores the names of accounts and objects with the first 65,536 characters of Unicode only. */
const isBasicPlane = (text: string) => !/[\u{10000}-\u{10ffff}]/u.test(text)
const basicPlaneOnly =
  'must not contain emoji or other characters beyond U+FFFF, because MariaDB refuses them in names: remove them'

/**
 * The entry script passes the password through `echo`, which reads a text such as `-n` as an option and prints nothing.
 */
const isEchoed = (text: string) => !/^-[neE]+$/.test(text)

const password = () =>
  printable(z.string().max(255, 'must have at most 255 characters')).refine(
    isEchoed,
    'must not be - followed only by the letters n, e and E, because the entry script of the image loses such a ' +
      'password: choose another password',
  )

const settings = z.object({
  databaseName: databaseName().refine(isBasicPlane, basicPlaneOnly).describe(settingTexts.databaseName),
  databaseUser: databaseUser(80)
    .refine(isBasicPlane, basicPlaneOnly)
    .refine(...isNotOwnName)
    .describe(databaseUserText),
  databasePassword: password().describe(settingTexts.password('databaseUser')),
  databaseRootPassword: password().describe(settingTexts.password('the user root')),
})

const dialect: Dialect = {
  findClient: 'command -v mariadb || command -v mysql',
  // Use TLS if the server supports it. Since 11.4 the server creates its own certificate, which the client cannot
  // verify.
  options: '--ssl --skip-ssl-verify-server-cert --loose-skip-print-query-on-error',
  rotation: {
    session: sqlFile('kinds/mariadb/programs/rotate-session.sql'),
    variables: sqlFile('kinds/mariadb/programs/rotate-variables.sql'),
    prepare: sqlFile('kinds/mariadb/programs/rotate-prepare.sql'),
    grants: sqlFile('kinds/mariadb/programs/rotate-grants.sql'),
    unlogged: 'set session sql_log_bin = if(@is_clear, 0, @@session.sql_log_bin);',
    change: sqlFile('kinds/mariadb/programs/rotate-change.sql'),
  },
}

const backup = mysqlBackup({
  list: sqlFile('kinds/mariadb/programs/list.sql').trimEnd(),
  exportSettings: '',
  findClient: dialect.findClient,
  options: dialect.options,
  findDump: 'command -v mariadb-dump || command -v mysqldump',
  dumpOptions: '--ssl --skip-ssl-verify-server-cert',
  createAccounts: sqlFile('kinds/mariadb/programs/create-accounts.sql').trimEnd(),
  session: textFile('kinds/mariadb/programs/session.sql'),
  limits: [
    "'sql_select_limit' from dual where @@global.sql_select_limit < 18446744073709551615",
    "'system_versioning_asof' from dual where concat(@@global.system_versioning_asof) <> 'DEFAULT'",
  ],
  restoreGlobals: { innodb_force_primary_key: 0, strict_password_validation: 0 },
  promise: ' Tables with system versioning are dumped with their current rows, without their history.',
})

export const mariadb = kind({
  name: 'mariadb',
  label: 'MariaDB',
  idField: 'mariadbId',
  defaultImage: 'mariadb:6',
  port,
  isAppNameOptional: false,
  settings,
  secrets: ['databasePassword', 'databaseRootPassword'],
  serverPrograms: ['mariadbd', 'mysqld'],
  logFaults: errorLogFaults,
  reserved: reservedFor(['MARIADB', 'MYSQL']),
  versionOf,
  imageVersion: {
    variables: ['MARIADB_VERSION', 'MARIADB_MAJOR'],
    argv: ['sh', '-c', '"$(command -v mariadbd || command -v mysqld)" --version'],
    printed: / Ver (\S+)/,
  },
  seriesEnds: mariadbSeries,
  opens,
  dataPath,
  dataFiles: { folder: dataPath(), names: ['ibdata1'] },
  env: (it) => ({
    MARIADB_DATABASE: it.databaseName,
    MARIADB_USER: it.databaseUser,
    MARIADB_PASSWORD: it.databasePassword,
    MARIADB_ROOT_PASSWORD: it.databaseRootPassword,
  }),
  url,
  health,
  initializesOnce: true,
  ready: readyWith(dialect),
  rotate: rotateWith(dialect),
  rootPassword: 'databaseRootPassword',
  ownAccounts: ownAccountsWith({
    ...dialect,
    session: dialect.rotation.session,
    createAccount: sqlFile('kinds/mariadb/programs/own-account.sql'),
  }),
  backup,
  manualBackup: 'manualBackupMariadb',
})
