/**
 * The limits that MySQL and MariaDB share for names and environment variables. Some are limits of the products. Others
 * come from the entry scripts of the official images, which put texts into SQL without escaping.
 */
import { z } from 'zod'
import { settingTexts } from '../kind.ts'
import { printable } from '../printable.ts'

const systemSchemas = ['mysql', 'information_schema', 'performance_schema', 'sys']
const systemUsers = ['root', 'mysql.sys', 'mysql.session', 'mysql.infoschema', 'mariadb.sys']

/**
 * Returns the length of the folder name of a database, in bytes. A special character takes five bytes: `-` is @002d.
 */
const folderBytes = (name: string) => name.replace(/[^A-Za-z0-9_]/g, '@0000').length

const name = () => printable(z.string().min(1, 'must not be empty'))

/** Sources: dev.mysql.com/doc/refman/8.4/en/identifiers.html, identifier-mapping.html and identifier-length.html. */
export const databaseName = () =>
  name()
    .refine((it) => it.length <= 64, 'must have at most 64 characters: choose a shorter name')
    .refine(
      (it) => folderBytes(it) <= 255,
      'is too long for a folder name of at most 255 bytes, in which each character except A-Z, a-z, 0-9 and _ takes ' +
        'five bytes: choose a shorter name',
    )
    .refine((it) => !it.endsWith(' '), 'must not end with a space, because the server refuses such names: remove it')
    .refine(
      (it) => it !== '.' && it !== '..',
      'must not be . or .., because a URL cannot contain these names: choose another name',
    )
    .refine(
      (it) => !it.startsWith('#mysql50#'),
      'must not start with #mysql50#, which is reserved: choose another name',
    )
    .refine(
      (it) => !systemSchemas.includes(it.toLowerCase()),
      `must not be a system database (${systemSchemas.join(', ')}): choose another name`,
    )
    // The entry script puts the name between backquotes in CREATE DATABASE and uses it as a pattern in GRANT, where %
    // would give the user access to other databases.
    .refine(
      (it) => !/[`\\%]/.test(it),
      'must not contain ` \\ or %, because the entry script of the image does not escape them: remove them',
    )

/** Source: dev.mysql.com/doc/refman/8.4/en/user-names.html. */
export const databaseUser = (characters: number) =>
  name()
    .refine((it) => it.length <= characters, `must have at most ${characters} characters: choose a shorter name`)
    .refine((it) => it === it.trim(), 'must not begin or end with a space, because the server drops it: remove it')
    .refine(
      (it) => !systemUsers.includes(it),
      `must not be a system account (${systemUsers.join(', ')}): choose another name. The password of root is ` +
        'databaseRootPassword',
    )
    .refine(
      (it) => !/['\\]/.test(it),
      "must not contain ' or \\, because the entry script of the image does not escape them: remove them",
    )

export const databaseUserText = settingTexts.databaseUser('User with all rights on the database')

const rootFromNetwork = 'remove it, because Berth logs in as root over the network'
const password = 'use databasePassword'
const rootPassword = 'use databaseRootPassword'
const dataStays = 'remove it, because the data must stay on the volume'
const otherServer = 'remove it, because it would connect the programs in the container to another server'

/** Variables that the server, its clients and libmysqlclient of both products read. */
const shared = {
  MYSQL_TCP_PORT: 'use externalPort to publish a port. Inside the network the port is always 3306',
  MYSQL_UNIX_PORT: otherServer,
  MYSQL_HOST: otherServer,
  MYSQL_PWD: rootPassword,
  MYSQL_HOME: dataStays,
  MARIADB_HOME: dataStays,
}

/**
 * Variables of the entry script, without the product's prefix. Each variable also exists with the suffix `_FILE`, which
 * names a file with the value.
 */
const settable = {
  DATABASE: 'use databaseName',
  USER: 'use databaseUser',
  PASSWORD: password,
  ROOT_PASSWORD: rootPassword,
  ROOT_HOST: rootFromNetwork,
  PASSWORD_HASH: password,
  ROOT_PASSWORD_HASH: rootPassword,
}
/** Variables of the entry script that exist without the suffix `_FILE` only. */
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
  return { ...Object.fromEntries(prefixed), ...shared }
}
