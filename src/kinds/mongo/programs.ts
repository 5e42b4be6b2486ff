/**
 * The programs that run inside MongoDB's containers. Their JavaScript works in both shells: mongo (up to 5) and mongosh
 * (since 5). The text of each program is fixed. A caller's text is passed as one line of JSON on standard input.
 */
import { textFile } from '../../lib/text-file.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Address, OwnAccount, OwnAccounts, ServerLogin } from '../kind.ts'
import { authorityOf } from '../url.ts'

export interface Settings {
  databaseUser: string
  databasePassword: string
  replicaSet?: string | null | undefined
}
export type Login = ServerLogin<Settings>

/** The user that logs in, and its password. */
export const userOf = ({ own, settings }: Login): OwnAccount =>
  own ?? { user: settings.databaseUser, password: settings.databasePassword }

/** The port on which the server listens. */
export const port = 27_017
/** The data path that the server gets with its options. */
export const dataPath = '/data/db'
/** The data path and the symbolic links in it, such as `journal`. */
export const fixedPaths = [dataPath, `${dataPath}/*`, `${dataPath}/*/*`]

/** The key of the replica set. Its only member makes it, see start.sh. */
export const keyPath = `${dataPath}/.berth/key`
/** The exit code of `ready` if `prepare` has to initiate the replica set, or to change the host name of its member. */
export const unpreparedExitCode = 3

export const wrapper = textFile('kinds/mongo/programs/shell.sh', { unprepared: String(unpreparedExitCode) })
const prelude = textFile('kinds/mongo/programs/prelude.js', { port: String(port) })
const ending = textFile('kinds/mongo/programs/ending.js')

const programText = (body: string) => `${prelude}${body}${ending}`
const readyProgram = programText(
  textFile('kinds/mongo/programs/ready.js', { dataPath, unprepared: String(unpreparedExitCode) }),
)
const prepareProgram = programText(textFile('kinds/mongo/programs/prepare.js'))
const rotateProgram = programText(textFile('kinds/mongo/programs/rotate.js'))
const dropText = programText(textFile('kinds/mongo/programs/drop.js'))
export const ownAccountText = programText(textFile('kinds/mongo/programs/own-account.js'))
const ownCheckText = programText(textFile('kinds/mongo/programs/own-check.js'))
const listText = programText(textFile('kinds/mongo/programs/list.js'))

/** Drops the database, but keeps its users. Does not drop the database `admin`. */
export const dropProgram = (login: Login, address: Address, database: string): Exec =>
  program('600', dropText, { ...loginOf(login, address), database })

/** Lists the databases except MongoDB's own, all users and roles, and the collections of the database `admin`. */
export const listProgram = (login: Login, address: Address): Exec =>
  program('60', listText, {
    ...loginOf(login, address),
    settingsUser: login.settings.databaseUser,
    ownUser: login.own?.user ?? '',
  })

export function ready(settings: Settings, address: Address): Exec {
  return program('9', readyProgram, loginOf({ settings, own: null }, address))
}

/** Makes the server the primary of its replica set of one. */
export const prepare = (settings: Settings, address: Address): Exec =>
  program('28', prepareProgram, loginOf({ settings, own: null }, address))

export function rotate(from: Settings, to: Settings, address: Address, own: OwnAccount | null): Exec {
  const next = { oldUser: from.databaseUser, newUser: to.databaseUser, newPassword: to.databasePassword }
  return program('28', rotateProgram, { ...loginOf({ settings: from, own }, address), ...next })
}

/** A server with a login accepts nobody without one, except before its first user exists. So nothing is done inside. */
export const ownAccounts: Omit<OwnAccounts<Settings>, 'maintenanceStart'> = {
  check: (own, settings, address) => program('9', ownCheckText, loginOf({ settings, own }, address)),
  create: (own, settings, address) =>
    program('9', ownAccountText, {
      ...loginOf({ settings, own: null }, address),
      ownUser: own.user,
      ownPassword: own.password,
    }),
}

function loginOf(login: Login, address: Address) {
  const { user, password } = userOf(login)
  const { replicaSet } = login.settings
  const set = typeof replicaSet === 'string' ? { replicaSet } : {}
  const options = 'directConnection=true&connectTimeoutMS=3000&serverSelectionTimeoutMS=5000'
  return { url: `mongodb://${authorityOf(address)}/?${options}`, user, password, ...set }
}

/**
 * Returns a program that reads `values` from standard input.
 * @param seconds the timeout
 */
function program(seconds: string, text: string, values: Record<string, string>): Exec {
  return { argv: ['sh', '-c', wrapper, 'berth', seconds, text], env: {}, stdin: valuesOf(values) }
}

/** The standard input of a program: a line of JSON in ASCII, because the container can have any locale. */
export function valuesOf(values: Record<string, string>): string {
  const json = JSON.stringify(values).replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `${json}\n`
}
