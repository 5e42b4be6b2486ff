/** The images, settings and connections of the tests of MySQL and MariaDB. */
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { mariadb } from '../../src/kinds/mariadb/mariadb.ts'
import type { Credentials } from '../../src/kinds/mysql/programs.ts'
import { mysql } from '../../src/kinds/mysql/mysql.ts'
import { containersOf, withoutTimeZones } from './container.ts'
import { representative } from './representative.ts'

export type Settings = Credentials & Record<string, string>

const plain: Settings = {
  databaseName: 'da ta"b\'a$e_/@:#?&=',
  databaseUser: 'sp ace@:/#?";-`$',
  databasePassword: 'p"a s$s; --#☃😀`id`',
  databaseRootPassword: 'ro ot;$`id`-- #☃😀',
}
const odd: Settings = {
  databaseName: 'Ünï☃ "_$x.d',
  databaseUser: 'ü☃ "`$x',
  databasePassword: "'\\\\\"' -- \\",
  databaseRootPassword: '"#\'\\x',
}

const policy = "'file://component_validate_password'"

/**
 * `plugin` is an authentication plugin that is not the default. `policies` are components of the server that refuse
 * weak passwords.
 */
export const products = {
  mysql: {
    ...containersOf<Settings>(mysql, 'mysql'),
    kind: mysql,
    first: plain,
    plugin: 'sha256_password',
    policies: [policy],
  },
  mariadb: {
    ...containersOf<Settings>(mariadb, 'mariadb'),
    kind: mariadb,
    first: { ...plain, ...odd },
    plugin: 'mysql_native_password',
    policies: [],
  },
}

/**
 * Bit masks of settings that change together, in the order of the keys of `plain`. The first list has each setting,
 * both passwords, and all settings. The second list has the other combinations.
 */
export const masks = representative([
  [1, 2, 4, 8, 12, 15],
  [3, 5, 6, 7, 9, 10, 11, 13, 14],
]).flat()

/** Passwords with special characters. The second list splits the first password of the first list. */
export const passwords = representative([
  [' lead, "$(id)${HOME};--#"% hush-hush-1, trail ', 'ﬁª\u00a0e\u0301\u00ad', '😀'.repeat(53)],
  [' lead, trail ', '"$(id)${HOME};--', '#"', '%'],
]).flat()

export const files = '/var/lib/mysql'
export const logging = [
  ...withoutTimeZones,
  '--',
  '--general-log=1',
  `--general-log-file=${files}/general.log`,
  '--slow-query-log=1',
  '--long-query-time=0',
  `--slow-query-log-file=${files}/slow.log`,
  `--log-bin=${files}/binary`,
  '--server-id=1',
  '--performance-schema=1',
  '--log-bin-trust-function-creators=1',
  '--performance-schema-consumer-events-statements-history-long=1',
  // MariaDB records nothing in that history without this option.
  '--performance-schema-consumer-events-statements-current=1',
]

/** Runs SQL over a new connection, without a default database if the URL has none. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const connection = await createConnection({ uri: url, connectTimeout: 5000, multipleStatements: true })
  connection.on('error', () => undefined)
  try {
    const [rows] = await connection.query<RowDataPacket[]>(text, values)
    return rows
  } finally {
    await connection.end()
  }
}

export const errorCodeOf = (url: string) =>
  query(url, 'do 1').then(
    () => '',
    (error: { code?: string }) => error.code,
  )
export const quoted = (text: string) => `\`${text.replaceAll('`', '``')}\``
export const asRoot = (settings: Settings): Settings => ({
  ...settings,
  databaseUser: 'root',
  databasePassword: settings.databaseRootPassword,
})

export const versions: [product: keyof typeof products, version: string][] = [
  ...representative(['11.8', '10.11']).map((version): ['mariadb', string] => ['mariadb', version]),
  ...representative(['8.4', '8.0', '9.7']).map((version): ['mysql', string] => ['mysql', version]),
]
