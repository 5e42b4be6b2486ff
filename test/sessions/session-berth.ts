/** A Berth that listens on a port, with a deployed database and a fake program in the containers of sessions. */
import assert from 'node:assert/strict'
import { issueToken } from '../../src/accounts/tokens.ts'
import type { Scope } from '../../src/api/access.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import type { SessionLimits } from '../../src/sessions/sessions.ts'
import type { Job } from '../../src/engine/job.ts'
import type { JobIo, Program } from '../engine/memory/jobs.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { type Handshake, open, type OpenSession, type Refusal, type SessionInput } from './session-client.ts'

export type SessionBerth = Awaited<ReturnType<typeof startSessionBerth>>

/** Prints its input, and the last argument on standard error. Ends with the input, with the exit code 3. */
export const echo: Program = async (job, { stdin, stdout, stderr }) => {
  stderr.write(job.argv.at(-1)!)
  for await (const piece of stdin ?? []) stdout.write(piece)
  return 3
}

/** Runs until it is killed. */
export const endless: Program = (_job, { signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(137), { once: true }))

export async function startSessionBerth(
  options: { env?: Record<string, string>; limits?: SessionLimits; kind?: string } = {},
) {
  const testBerth = await startTestBerth(options.env, {}, options.limits)
  const databases = databaseClientsOf(testBerth, kindNamed(options.kind ?? 'postgres'))
  const database = await databases.createDeployed()
  const databaseId = databases.idOf(database)
  const url = await testBerth.listen()
  const jobs: Job[] = []
  let program: Program = echo
  const other = testBerth.engine.onJob
  testBerth.engine.onJob = (job, io: JobIo) => {
    if (!job.name.startsWith('berth-session-')) return other(job, io)
    jobs.push(job)
    return program(job, io)
  }

  const tryOpen = (input: Partial<SessionInput> = {}, handshake: Handshake = {}) =>
    open(url, { databaseId, ...input }, { token: testBerth.admin, ...handshake })

  return {
    ...testBerth,
    testBerth,
    databases,
    database,
    databaseId,
    url,
    /** The jobs of all sessions. */
    jobs,
    /** Sets the program of later sessions. */
    setProgram(next: Program) {
      program = next
    },
    tryOpen,
    /** Opens a session that must not be refused. */
    async open(input: Partial<SessionInput> = {}, handshake: Handshake = {}): Promise<OpenSession> {
      const session = await tryOpen(input, handshake)
      if ('status' in session) assert.fail(JSON.stringify(session))
      return session
    },
    /** Opens a session that must be refused. */
    async refusedOpen(input: Partial<SessionInput> = {}, handshake: Handshake = {}): Promise<Refusal> {
      const refusal = await tryOpen(input, handshake)
      assert.ok('status' in refusal, 'the session was opened')
      return refusal
    },
    /** The audit entries of sessions, oldest first. */
    async audit(): Promise<Record<string, unknown>[]> {
      const input = { operation: 'database.openSession' }
      return (await testBerth.ok<AuditEntry[]>('audit.all', input)).map(({ result, record, details }) => ({
        result,
        record,
        ...details,
      }))
    },
    /** Creates an API token of the administrator. */
    apiToken: (scope: Scope) => apiToken(testBerth.app, testBerth.admin, scope),
    jobsOnEngine: () => testBerth.engine.listJobs(),
    [Symbol.asyncDispose]: () => testBerth.close(),
  }
}

interface AuditEntry {
  result: string
  record: string | null
  details: Record<string, unknown> | null
}

async function apiToken(app: Awaited<ReturnType<typeof startTestBerth>>['app'], _admin: string, scope: Scope) {
  const { id: accountId } = await app.db
    .selectFrom('account')
    .select('id')
    .where('rol', '=', 'admin')
    .executeTakeFirstOrThrow()
  const fields = { kind: 'api', scope, accountId, id: app.newId(), address: '' } as const
  return (await app.transact((tx) => issueToken(tx, fields, app.now()))).token
}
