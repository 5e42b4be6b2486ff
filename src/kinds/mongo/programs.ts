/**
 * The programs that run inside MongoDB's containers, in JavaScript that both of its shells understand (mongo up to 5,
 * mongosh from 5 on). The texts are fixed: a caller's texts come as one line of JSON on standard input.
 */
import { textFile } from '../../lib/text-file.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Address } from '../kind.ts'
import { authorityOf } from '../url.ts'

export interface Login {
  databaseUser: string
  databasePassword: string
}

const wrapper = textFile('kinds/mongo/programs/shell.sh')
const prelude = textFile('kinds/mongo/programs/prelude.js')
const ending = textFile('kinds/mongo/programs/ending.js')

const whole = (body: string) => `${prelude}${body}${ending}`
const readyProgram = whole(textFile('kinds/mongo/programs/ready.js'))
const rotateProgram = whole(textFile('kinds/mongo/programs/rotate.js'))
const dropText = whole(textFile('kinds/mongo/programs/drop.js'))
const listText = whole(textFile('kinds/mongo/programs/list.js'))

/** Drops the database with all that is in it but its users. */
export const dropProgram = (it: Login, address: Address, database: string): Exec =>
  program('600', dropText, { ...loginOf(it, address), database })

/** Lists the databases, all users and roles, and what is in the server's own database. */
export const listProgram = (it: Login, address: Address): Exec => program('60', listText, loginOf(it, address))

export function ready(it: Login, address: Address): Exec {
  return program('9', readyProgram, loginOf(it, address))
}

export function rotate(from: Login, to: Login, address: Address): Exec {
  const wanted = { newUser: to.databaseUser, newPassword: to.databasePassword }
  return program('28', rotateProgram, { ...loginOf(from, address), ...wanted })
}

function loginOf({ databaseUser, databasePassword }: Login, address: Address) {
  const options = 'directConnection=true&connectTimeoutMS=3000&serverSelectionTimeoutMS=5000'
  return { url: `mongodb://${authorityOf(address)}/?${options}`, user: databaseUser, password: databasePassword }
}

/** In ASCII, whatever the container's locale. */
function program(seconds: string, text: string, values: Record<string, string>): Exec {
  const json = JSON.stringify(values).replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return { argv: ['sh', '-c', wrapper, 'berth', seconds, text], env: {}, stdin: `${json}\n` }
}
