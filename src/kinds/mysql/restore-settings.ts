/**
 * The settings of the whole server that have other values during a restore into MySQL and MariaDB. Both products have
 * them only for the server: a session cannot change them for itself. Pure.
 */
import type { Exec } from '../../engine/exec.ts'
import type { RestoreSettings } from '../backup.ts'
import type { Address, ServerLogin } from '../kind.ts'
import { adminOf, client, type ClientDialect, type Credentials, envOf } from './programs.ts'

/** The statement that sets the values. */
export const setGlobals = (values: Readonly<Record<string, number>>): string =>
  `set global ${Object.entries(values)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}`

/**
 * @param names the names of the settings; their values are numbers
 * @param session the statement that begins the session (`BackupDialect.session`)
 */
export function restoreSettings(
  dialect: ClientDialect,
  names: readonly string[],
  session: string,
): RestoreSettings<Credentials> {
  const script = `${client(dialect)}log_in --user="$BERTH_ADMIN" --init-command="$BERTH_SESSION" -e "$1"\n`
  const program = (sql: string, login: ServerLogin<Credentials>, address: Address): Exec => {
    const { user, password } = adminOf(login)
    return {
      argv: ['sh', '-c', script, 'berth', sql],
      env: { ...envOf(password, address), BERTH_ADMIN: user, BERTH_SESSION: session },
    }
  }
  const readSql = `select ${names.map((name) => `@@global.${name}`).join(', ')}`
  return {
    read: (login, address) => program(readSql, login, address),
    parse(stdout) {
      const texts = stdout.replace(/\r?\n$/, '').split('\t')
      const isComplete = texts.length === names.length && texts.every((text) => /^\d+$/.test(text))
      return isComplete ? Object.fromEntries(names.map((name, index) => [name, Number(texts[index])])) : null
    },
    write(login, address, values) {
      const own = names.filter((name) => Number.isSafeInteger(values[name])).map((name) => [name, values[name]!])
      return program(setGlobals(Object.fromEntries(own) as Record<string, number>), login, address)
    },
  }
}
