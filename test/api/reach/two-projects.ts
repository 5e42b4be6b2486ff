/**
 * A Berth for tests of the reach: the project `shop` with a record of each type, and the project `bakery` with a database
 * and a backup. Loops do nothing, because the engine is unavailable.
 */
import { insertRun } from '../../../src/backups/run-queries.ts'
import type { Manifest } from '../../../src/dumps/manifest.ts'
import type { ProjectRole } from '../../../src/api/reach/reach.ts'
import type { Scope } from '../../../src/api/access.ts'
import { insertAccount } from '../../../src/accounts/accounts.ts'
import { insertMember } from '../../../src/accounts/rights/members.ts'
import { issueToken } from '../../../src/accounts/tokens.ts'
import { begin, databaseSubject } from '../../../src/deployments/queries.ts'
import { kinds } from '../../../src/kinds/index.ts'
import { toJson } from '../../../src/lib/json.ts'
import type { Berth } from '../../fixtures/harness.ts'
import { startSweep } from '../../sweep-berth.ts'
import type { Known } from '../../sweep-inputs.ts'

/** Fields of records by their names; most are ids. */
type Ids = Record<string, string> & { projectId: string }

export type TwoProjectsBerth = Awaited<ReturnType<Awaited<ReturnType<typeof startTwoProjects>>['start']>>

/** Creates the records once. `start` starts a Berth with a copy of them. */
export async function startTwoProjects() {
  const sweep = await startSweep()
  return {
    async start() {
      const berth = await sweep.start()
      const shop = await fillShop(berth, sweep.known)
      const bakery = await fillBakery(berth, sweep.known)
      return { ...berth, shop, bakery, ...callersOn(berth) }
    },
    [Symbol.asyncDispose]: () => sweep[Symbol.asyncDispose](),
  }
}

const dumped = kinds.find(({ backup }) => backup !== undefined)!
const settings = (text: string) =>
  Object.fromEntries(
    Object.keys(dumped.settings.shape).map((name) => [name, `${text}${name}`.toLowerCase().slice(0, 16)]),
  )

/** Adds what no `create` makes: a dump, a deployment, a condition, and the owner of the kept volume. */
async function fillShop(berth: Berth, records: Known): Promise<Ids> {
  const known = records as Ids
  const { app } = berth
  const databaseId = known[dumped.idField]!
  const backup = await createBackup(berth, { databaseId, destinationId: known.destinationId!, prefix: 'shop' })
  const runId = await addDump(berth, { databaseId, backupId: backup, destinationId: known.destinationId! })
  await addWork(berth, databaseId, known.projectId)
  await app.transact((tx) => tx.updateTable('volume').set({ databaseId }).where('id', '=', known.volumeId!).execute())
  return { ...known, databaseId, serviceId: databaseId, backupId: backup, runId }
}

async function fillBakery(berth: Berth, known: Known): Promise<Ids> {
  const projectId = await createdId(berth, 'project', { name: 'bakery' })
  const appName = 'bakery-oven'
  const databaseId = await createdId(berth, dumped.name, { ...settings('oven'), name: 'oven', appName, projectId })
  const destinationId = known.destinationId as string
  const backupId = await createBackup(berth, { databaseId, destinationId, prefix: 'bakery' })
  const runId = await addDump(berth, { databaseId, backupId, destinationId })
  await addWork(berth, databaseId, projectId)
  return { projectId, databaseId, [dumped.idField]: databaseId, backupId, runId, appName }
}

async function createdId(berth: Berth, group: string, input: Record<string, unknown>): Promise<string> {
  const { status, body } = await berth.call(`${group}.create`, input)
  if (status !== 200) throw new Error(`${group}.create: ${JSON.stringify(body)}`)
  return body[`${group}Id`] as string
}

const createBackup = (
  berth: Berth,
  { databaseId, ...rest }: Record<'databaseId' | 'destinationId' | 'prefix', string>,
) =>
  createdId(berth, 'backup', {
    ...rest,
    schedule: '0 3 * * *',
    database: 'all',
    databaseType: dumped.name,
    [dumped.idField]: databaseId,
  })

async function addDump({ app }: Berth, columns: Record<'databaseId' | 'backupId' | 'destinationId', string>) {
  const [id, at] = [app.newId(), app.now().toISOString()]
  const manifest: Manifest = {
    format: 1,
    kind: dumped.name,
    appName: `dumped-${columns.databaseId}`,
    image: dumped.defaultImage,
    serverVersion: '15',
    settings: {},
    database: 'all',
    runId: id,
    startedAt: at,
    finishedAt: at,
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    rawBytes: 1,
    encryptedFor: null,
    contents: { tables: {}, objects: {}, roles: null, database: null },
  }
  const ended = { status: 'done', startedAt: at, finishedAt: at, key: `key-${id}`, database: 'all' } as const
  const dump = { ...ended, id, action: 'dump', trigger: 'manual', kind: dumped.name } as const
  await app.transact((tx) => insertRun(tx, { ...dump, ...columns, manifest: JSON.stringify(manifest) }, app.now()))
  return id
}

/** Adds a deployment and a condition of a database. */
async function addWork({ app }: Berth, databaseId: string, projectId: string): Promise<void> {
  const appName = `work-${databaseId}`
  const subject = databaseSubject({ id: databaseId, kind: dumped.name, appName })
  const since = app.now().toISOString()
  await app.transact(async (tx) => {
    await begin(tx, { id: app.newId(), action: 'deploy', subject }, app.now())
    await tx
      .insertInto('condition')
      .values({
        id: app.newId(),
        name: 'DatabaseDown',
        severity: 'critical',
        subjectKind: 'database',
        subjectId: databaseId,
        subjectName: appName,
        projectId,
        adminOnly: 0,
        reason: toJson({ reason: 'DatabaseDown', cause: null } as const),
        since,
        endedAt: null,
      })
      .execute()
  })
}

/** Functions that create accounts and answer tokens of them. */
function callersOn({ app }: Berth) {
  return { member, tokenOf }

  /** An account that is a member of these projects only, and the token of a session of it. */
  async function member(memberships: Record<string, ProjectRole>) {
    const id = app.newId()
    const email = `${id}@example.org`
    await app.transact(async (tx) => {
      await insertAccount(tx, { id, email, passwordHash: '', rol: 'user', allProjects: 0 }, app.now())
      for (const [projectId, role] of Object.entries(memberships)) {
        await insertMember(tx, id, { projectId, role }, app.now())
      }
    })
    return { id, email, token: await tokenOf(id, null, null) }
  }

  /** A new token. @param scope null: a session. @param projects the projects that it is limited to; null: not limited */
  async function tokenOf(accountId: string, scope: Scope | null, projects: readonly string[] | null): Promise<string> {
    const kind = scope === null ? 'session' : 'api'
    const limit = projects === null ? null : toJson(projects)
    const token = { id: app.newId(), kind, accountId, scope, address: '', projects: limit } as const
    return (await app.transact((tx) => issueToken(tx, token, app.now()))).token
  }
}
