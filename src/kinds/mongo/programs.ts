/**
 * The programs that run inside MongoDB's containers. Their JavaScript works in both shells: mongo (up to 5) and mongosh
 * (since 5). The text of each program is fixed. A caller's text is passed as one line of JSON on standard input.
 */
import { textFile } from '../../lib/text-file.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Address } from '../kind.ts'
import { authorityOf } from '../url.ts'

export interface Login {
  databaseUser: string
  databasePassword: string
  replicaSet?: string | null | undefined
}

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

const wrapper = textFile('kinds/mongo/programs/shell.sh', { unprepared: String(unpreparedExitCode) })
const prelude = textFile('kinds/mongo/programs/prelude.js', { port: String(port) })
const ending = textFile('kinds/mongo/programs/ending.js')

const programText = (body: string) => `${prelude}${body}${ending}`
const readyProgram = programText(
  textFile('kinds/mongo/programs/ready.js', { dataPath, unprepared: String(unpreparedExitCode) }),
)
const prepareProgram = programText(textFile('kinds/mongo/programs/prepare.js'))
const rotateProgram = programText(textFile('kinds/mongo/programs/rotate.js'))
const dropText = programText(textFile('kinds/mongo/programs/drop.js'))
const listText = programText(textFile('kinds/mongo/programs/list.js'))

/** Drops the database, but keeps its users. Does not drop the database `admin`. */
export const dropProgram = (login: Login, address: Address, database: string): Exec =>
  program('600', dropText, { ...loginOf(login, address), database })

/** Lists the databases except MongoDB's own, all users and roles, and the collections of the database `admin`. */
export const listProgram = (login: Login, address: Address): Exec => program('60', listText, loginOf(login, address))

export function ready(login: Login, address: Address): Exec {
  return program('9', readyProgram, loginOf(login, address))
}

/** Makes the server the primary of its replica set of one. */
export const prepare = (login: Login, address: Address): Exec => program('28', prepareProgram, loginOf(login, address))

export function rotate(from: Login, to: Login, address: Address): Exec {
  const next = { newUser: to.databaseUser, newPassword: to.databasePassword }
  return program('28', rotateProgram, { ...loginOf(from, address), ...next })
}

function loginOf({ databaseUser, databasePassword, replicaSet }: Login, address: Address) {
  const options = 'directConnection=true&connectTimeoutMS=3000&serverSelectionTimeoutMS=5000'
  const login = { user: databaseUser, password: databasePassword }
  const set = typeof replicaSet === 'string' ? { replicaSet } : {}
  return { url: `mongodb://${authorityOf(address)}/?${options}`, ...login, ...set }
}

/**
 * Returns a program that reads `values` as JSON from standard input. The JSON is ASCII only, because the container can
 * have any locale.
 * @param seconds the timeout
 */
function program(seconds: string, text: string, values: Record<string, string>): Exec {
  const json = JSON.stringify(values).replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return { argv: ['sh', '-c', wrapper, 'berth', seconds, text], env: {}, stdin: `${json}\n` }
}
