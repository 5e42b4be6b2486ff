/**
 * The limits that MySQL and MariaDB share for names, passwords and variables: those of the products, and those of the
 * entry scripts of their official images, which put texts into SQL without escaping.
 */
import { z } from 'zod'
import { printable } from '../printable.ts'

const systemSchemas = ['mysql', 'information_schema', 'performance_schema', 'sys']
const systemUsers = ['root', 'mysql.sys', 'mysql.session', 'mysql.infoschema', 'mariadb.sys']

/**
 * The server stores a database in a folder. In the folder's name, a special character takes up to five bytes (@002d).
 */
const folderBytes = (name: string) => name.replace(/[^A-Za-z0-9_]/g, '@0000').length

const name = () => printable(z.string().min(1, 'must not be empty'))

/** Sources: dev.mysql.com/doc/refman/8.4/en/identifiers.html, identifier-mapping.html and identifier-length.html. */
export const databaseName = () =>
  name()
    .refine((it) => it.length <= 64, 'must have at most 64 characters: choose a shorter name')
    .refine(
      (it) => folderBytes(it) <= 255,
      'must have fewer characters beyond A-Z, a-z, 0-9 and _, which take five of ' +
        'the 255 bytes that the name of its folder may have: choose a shorter name',
    )
    .refine((it) => !it.endsWith(' '), 'must not end with a space, which the server refuses: remove it')
    .refine((it) => it !== '.' && it !== '..', 'must not be . or .., which no URL can hold: choose another name')
    .refine(
      (it) => !it.startsWith('#mysql50#'),
      'must not start with #mysql50#, which is reserved: choose another name',
    )
    .refine(
      (it) => !systemSchemas.includes(it.toLowerCase()),
      `must not be one of the server's own (${systemSchemas.join(', ')}): choose another name`,
    )
    // The entry script puts the name between backquotes in CREATE DATABASE and uses it as a pattern in GRANT, where %
    // would give the user access to other databases.
    .refine(
      (it) => !/[`\\%]/.test(it),
      'must not contain ` \\ or %, which the set-up of the image takes for signs of its own: leave them out',
    )

/** Source: dev.mysql.com/doc/refman/8.4/en/user-names.html. */
export const databaseUser = (characters: number) =>
  name()
    .refine((it) => it.length <= characters, `must have at most ${characters} characters: choose a shorter name`)
    .refine((it) => it === it.trim(), 'must not begin or end with a space, which the server cuts off: remove it')
    .refine(
      (it) => !systemUsers.includes(it),
      "must not be root, which exists beside it (databaseRootPassword), or one of the server's own: choose another name",
    )
    .refine(
      (it) => !/['\\]/.test(it),
      "must not contain ' or \\, which the set-up of the image takes for signs of its own: leave them out",
    )

const rootFromNetwork = 'leave it out, for Berth logs in as root over the network'
const password = 'use databasePassword'
const rootPassword = 'use databaseRootPassword'
const dataStays = 'leave it out, for the data must stay on the volume'
const otherServer = 'leave it out, for it would lead the programs in the container elsewhere'

/** Variables that the server, its clients and libmysqlclient of both products read. */
const everywhere = {
  MYSQL_TCP_PORT: 'use externalPort for the port outside; inside the network it is always 3306',
  MYSQL_UNIX_PORT: otherServer,
  MYSQL_HOST: otherServer,
  MYSQL_PWD: rootPassword,
  MYSQL_HOME: dataStays,
  MARIADB_HOME: dataStays,
}

/** Variables of the entry script, without the product's prefix. Each also exists with `_FILE`, which names a file. */
const settable = {
  DATABASE: 'use databaseName',
  USER: 'use databaseUser',
  PASSWORD: password,
  ROOT_PASSWORD: rootPassword,
  ROOT_HOST: rootFromNetwork,
  PASSWORD_HASH: password,
  ROOT_PASSWORD_HASH: rootPassword,
}
const switches = {
  ALLOW_EMPTY_PASSWORD: rootPassword,
  ALLOW_EMPTY_ROOT_PASSWORD: rootPassword,
  RANDOM_ROOT_PASSWORD: rootPassword,
  ONETIME_PASSWORD: rootPassword,
}

/** Returns the value of `Kind.reserved` for an entry script that reads variables with these prefixes. */
export function reservedFor(prefixes: readonly string[]): Record<string, string> {
  const files = Object.entries(settable).map(([variable, use]) => [`${variable}_FILE`, use] as const)
  const all = [...Object.entries(settable), ...files, ...Object.entries(switches)]
  const prefixed = prefixes.flatMap((prefix) => all.map(([variable, use]) => [`${prefix}_${variable}`, use] as const))
  return { ...Object.fromEntries(prefixed), ...everywhere }
}
