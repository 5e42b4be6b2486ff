/** Starts a database on a MySQL server of the tests, which knows Berth's own account and who may make it. */
import type { Outcome } from '../../src/engine/engine.ts'
import type { Exec } from '../../src/engine/exec.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { credentialsIn, databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

export const kind = kindNamed('mysql')

/** A MySQL server that knows passwords of accounts, and whether they can log in over the network. */
export interface Server {
  user: string
  root: string
  isRootRemote: boolean
  /** Whether root can log in through the socket. */
  hasSocket: boolean
  /** Name and password of Berth's own account; null if it does not exist. */
  own: { user: string; password: string } | null
  /** The programs that made the account or changed passwords, and who logged in. */
  changes: string[]
}

const success = (stdout = ''): Outcome => ({ exitCode: 0, stdout, stderr: '' })
const refusal: Outcome = { exitCode: 1, stdout: '', stderr: 'ERROR 1045 (28000): Access denied' }

/** Reads a variable that a program sets on standard input. */
export function variableIn({ stdin = '' }: Exec, name: string): string {
  const [, hex = ''] = new RegExp(`^set @${name} = convert\\(x'(\\w*)'`, 'm').exec(stdin) ?? []
  return Buffer.from(hex, 'hex').toString()
}

/** Answers as the server does. The programs of MySQL differ in their variables. */
function answerOf(server: Server, program: Exec): Outcome {
  const { env } = program
  if (env.BERTH_IS_INSIDE !== undefined) return create(server, program)
  if (env.BERTH_NEW_ROOT_PASSWORD !== undefined) return rotate(server, program)
  if (env.BERTH_USER?.startsWith('berth_')) {
    return server.own?.user === env.BERTH_USER && server.own.password === env.MYSQL_PWD ? success() : refusal
  }
  if (env.MYSQL_PWD !== server.user) return refusal
  return success(server.isRootRemote && env.BERTH_ROOT_PASSWORD === server.root ? '8.4' : '8.4\nroot refused')
}

function create(server: Server, program: Exec): Outcome {
  const isInside = program.env.BERTH_IS_INSIDE !== ''
  if (!(isInside ? server.hasSocket : server.isRootRemote)) return refusal
  if (program.env.BERTH_ROOT_PASSWORD !== server.root) return refusal
  server.own = { user: variableIn(program, 'own'), password: variableIn(program, 'own_password') }
  server.changes.push(isInside ? 'made inside' : 'made')
  return success()
}

function rotate(server: Server, program: Exec): Outcome {
  const { BERTH_ADMIN: admin, MYSQL_PWD: password } = program.env
  const isOwn = server.own?.user === admin && server.own?.password === password
  if (!isOwn && !(admin === 'root' && server.isRootRemote && password === server.root)) return refusal
  server.user = variableIn(program, 'password')
  if (server.isRootRemote) server.root = variableIn(program, 'root_password')
  server.changes.push(`changed by ${admin}`)
  return success()
}

export async function start(change: Partial<Server> = {}) {
  const testBerth = await startTestBerth()
  const clients = databaseClientsOf(testBerth, kind)
  const created = await clients.create({ appName: 'shop-db' })
  const { databasePassword, databaseRootPassword } = credentialsIn(await clients.one(created), kind)
  const server: Server = {
    user: databasePassword!,
    root: databaseRootPassword!,
    isRootRemote: true,
    hasSocket: true,
    own: null,
    changes: [],
    ...change,
  }
  testBerth.engine.answer = (_, program) => answerOf(server, program)
  const database = await clients.complete('deploy', created)
  return { testBerth, clients, database, server }
}

export const reload = ({ clients, database }: Awaited<ReturnType<typeof start>>) =>
  clients.complete('reload', database, { appName: database.appName })
