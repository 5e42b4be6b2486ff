/** MySQL from 8.0: the limits of its settings, how its image is configured, and how it differs from MariaDB. */
import { z } from 'zod'
import { textFile } from '../../lib/text-file.ts'
import { isNotOwnName, kind, settingTexts } from '../kind.ts'
import { printable } from '../printable.ts'
import { mysqlSeries } from '../series-ends.ts'
import { mysqlBackup } from './backup.ts'
import { dataPath, errorLogFaults, opens, url, versionOf } from './dialect.ts'
import { type Dialect, health, port, readyWith, rotateWith } from './programs.ts'
import { ownAccountsWith } from './own-accounts.ts'
import { databaseName, databaseUser, databaseUserText, reservedFor } from './settings.ts'
import { sqlFile } from './sql.ts'

/** The official image has no locale. Its client would read names as Latin-1 and create garbled names. */
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)
const asciiOnly =
  'must contain only ASCII characters, because the entry script of the image misreads others: remove them'

/**
 * A client without TLS encrypts the password with the server's 2048-bit RSA key. The key can encrypt 213 bytes
 * (measured). The limit of caching_sha2_password itself is 256 bytes.
 */
const password = () =>
  printable(z.string())
    .refine((it) => Buffer.byteLength(it) <= 213, 'must have at most 213 bytes in UTF-8: choose a shorter one')
    .refine(
      (it) => !/['\\]/.test(it),
      "must not contain ' or \\, because the entry script of the image does not escape them: remove them",
    )

const settings = z.object({
  databaseName: databaseName().refine(isAscii, asciiOnly).describe(settingTexts.databaseName),
  databaseUser: databaseUser(32)
    .refine(isAscii, asciiOnly)
    .refine(...isNotOwnName)
    .describe(databaseUserText),
  databasePassword: password().describe(settingTexts.password('databaseUser')),
  databaseRootPassword: password()
    .refine(
      (it) => !it.includes('"'),
      'must not contain ", because the entry script of the image truncates the password there: remove it',
    )
    .describe(settingTexts.password('the user root')),
})

const dialect: Dialect = {
  findClient: 'command -v mysql',
  options: '--get-server-public-key',
  rotation: {
    session: '',
    variables: '',
    prepare: sqlFile('kinds/mysql/programs/rotate-prepare.sql'),
    grants: sqlFile('kinds/mysql/programs/rotate-grants-mysql.sql'),
    unlogged: '',
    change: sqlFile('kinds/mysql/programs/rotate-change.sql'),
  },
}

const backup = mysqlBackup({
  findClient: dialect.findClient,
  options: dialect.options,
  list: sqlFile('kinds/mysql/programs/list.sql').trimEnd(),
  exportSettings: sqlFile('kinds/mysql/programs/export-settings.sql').trimEnd(),
  findDump: 'command -v mysqldump',
  dumpOptions: [
    '--get-server-public-key --set-gtid-purged=OFF --loose-column-statistics=0',
    // This option exists since 8.4. With older versions, dump.sh waits for each table before the dump.
    '--loose-init-command="$BERTH_SESSION, lock_wait_timeout = $BERTH_LOCK_SECONDS"',
  ].join(' '),
  createAccounts: sqlFile('kinds/mysql/programs/create-accounts.sql').trimEnd(),
  session: textFile('kinds/mysql/programs/session.sql'),
  limits: ["'sql_select_limit' from dual where @@global.sql_select_limit < 18446744073709551615"],
  restoreGlobals: {},
  promise: '',
})

export const mysql = kind({
  name: 'mysql',
  label: 'MySQL',
  idField: 'mysqlId',
  defaultImage: 'mysql:8',
  port,
  isAppNameOptional: false,
  settings,
  secrets: ['databasePassword', 'databaseRootPassword'],
  serverPrograms: ['mysqld'],
  logFaults: errorLogFaults,
  reserved: reservedFor(['MYSQL']),
  versionOf,
  imageVersion: { variables: ['MYSQL_VERSION', 'MYSQL_MAJOR'], argv: ['mysqld', '--version'], printed: / Ver (\S+)/ },
  seriesEnds: mysqlSeries,
  opens,
  dataPath,
  dataFiles: { folder: dataPath(), names: ['ibdata1'] },
  env: (it) => ({
    MYSQL_DATABASE: it.databaseName,
    MYSQL_USER: it.databaseUser,
    MYSQL_PASSWORD: it.databasePassword,
    MYSQL_ROOT_PASSWORD: it.databaseRootPassword,
  }),
  url,
  health,
  initializesOnce: true,
  ready: readyWith(dialect),
  rotate: rotateWith(dialect),
  rootPassword: 'databaseRootPassword',
  ownAccounts: ownAccountsWith({
    ...dialect,
    session: '',
    createAccount: sqlFile('kinds/mysql/programs/own-account.sql'),
  }),
  backup,
  manualBackup: 'manualBackupMySql',
})
