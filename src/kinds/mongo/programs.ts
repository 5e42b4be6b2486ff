/**
 * The programs that run inside MongoDB's containers. Their JavaScript works in both shells: mongo (up to 5) and mongosh
 * (since 5). The text of each program is fixed. A caller's text is passed as one line of JSON on standard input.
 */
import { isAddress } from '../../lib/net/address.ts'
import { textFile } from '../../lib/text-file.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Program } from '../backup.ts'
import { type Address, namedAddress, tlsPaths } from '../kind.ts'
import { authorityOf } from '../url.ts'

export interface Login {
  databaseUser: string
  databasePassword: string
}

/**
 * What the shells and tools verify: nothing, without TLS (''); the authority; the authority and the name; nothing, with
 * TLS (`any`). It is the value of BERTH_TLS.
 */
export type Verification = '' | 'authority' | 'name' | 'any'

/** Returns what a client verifies. MongoDB's clients compare the certificate with the host of the connection only. */
export function verificationOf({ host, tls = null }: Address): Verification {
  if (tls === null) return ''
  return isAddress(host) ? 'authority' : 'name'
}

export const tlsScript = textFile('kinds/mongo/programs/tls.sh', { ca: tlsPaths.ca })
const wrapper = tlsScript + textFile('kinds/mongo/programs/shell.sh')
const prelude = textFile('kinds/mongo/programs/prelude.js')
const ending = textFile('kinds/mongo/programs/ending.js')

export const programText = (body: string) => `${prelude}${body}${ending}`
const readyProgram = programText(textFile('kinds/mongo/programs/ready.js'))
const rotateProgram = programText(textFile('kinds/mongo/programs/rotate.js'))
const dropText = programText(textFile('kinds/mongo/programs/drop.js'))
const listText = programText(textFile('kinds/mongo/programs/list.js'))

/** Drops the database, but keeps its users. Does not drop the database `admin`. */
export const dropProgram = (login: Login, address: Address, database: string): Exec =>
  program('600', dropText, { ...loginOf(login, address), database }, verificationOf(address))

/** Lists the databases except MongoDB's own, all users and roles, and the collections of the database `admin`. */
export const listProgram = (login: Login, address: Address): Exec =>
  program('60', listText, loginOf(login, address), verificationOf(address))

export function ready(login: Login, address: Address): Exec {
  return program('9', readyProgram, loginOf(login, address), verificationOf(address))
}

export function rotate(from: Login, to: Login, address: Address): Exec {
  const next = { newUser: to.databaseUser, newPassword: to.databasePassword }
  return program('28', rotateProgram, { ...loginOf(from, address), ...next }, verificationOf(address))
}

/** The file with the values of the client's login. */
const valuesPath = '/etc/berth/login.json'
const sessionScript = tlsScript + textFile('kinds/mongo/programs/session.sh')
const sessionLogin = textFile('kinds/mongo/programs/session.js', { valuesPath })

/** Returns the MongoDB shell for a person. It begins with the database `test`, as it does without a login. */
export function client(login: Login, address: Address, args: readonly string[]): Program {
  const server = namedAddress(address)
  return {
    argv: ['sh', '-c', sessionScript, 'berth', sessionLogin, ...args],
    env: { HOME: '/root', BERTH_TLS: verificationOf(server) },
    files: [{ path: valuesPath, content: asciiJson(loginOf(login, server)), mode: 0o600 }],
  }
}

/** The URLs of the two shells differ: the old one has options for what it verifies, and mongosh has parameters. */
export function loginOf(
  { databaseUser, databasePassword }: Login,
  address: Address,
  verification: Verification = verificationOf(address),
) {
  const options = 'directConnection=true&connectTimeoutMS=3000&serverSelectionTimeoutMS=5000'
  const url = `mongodb://${authorityOf(address)}/?${options}`
  return {
    url: verification === '' ? url : `${url}&ssl=true`,
    mongoshUrl: url + mongoshParameters[verification],
    user: databaseUser,
    password: databasePassword,
  }
}

const trusted = `&tls=true&tlsCAFile=${tlsPaths.ca}`
const mongoshParameters: Record<Verification, string> = {
  '': '',
  name: trusted,
  authority: `${trusted}&tlsAllowInvalidHostnames=true`,
  any: '&tls=true&tlsInsecure=true',
}

/**
 * Returns a program that reads `values` as JSON from standard input. The JSON is ASCII only, because the container can
 * have any locale.
 * @param seconds the timeout
 */
export function program(seconds: string, text: string, values: Record<string, string>, tls: Verification): Exec {
  return {
    argv: ['sh', '-c', wrapper, 'berth', seconds, text],
    env: { BERTH_TLS: tls },
    stdin: `${asciiJson(values)}\n`,
  }
}

const asciiJson = (values: Record<string, string>) =>
  JSON.stringify(values).replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
