/**
 * Creates more data before a run, in addition to one record of each type: running databases, a backup and a run for each
 * kind that supports backups, a good dump, a second account with a password, sessions, an API token and an invitation.
 */
import assert from 'node:assert/strict'
import type { App } from '../../src/api/services.ts'
import { kinds } from '../../src/kinds/index.ts'
import { operations } from '../../src/operations.ts'
import { insertDump, storedManifest } from '../backups/backups.ts'
import type { Berth } from '../fixtures/harness.ts'
import type { Known } from '../sweep-inputs.ts'
import type { Values } from './settings.ts'

const password = 'the password of the second account'
const email = 'second@example.org'

/** Returns valid values by the names of fields. */
export async function addRecords(
  berth: Pick<Berth, 'call' | 'admin' | 'app'>,
  known: Known,
): Promise<Record<string, Values>> {
  const wait = { prefer: 'wait=20' }
  const ok = async (name: string, input: Record<string, unknown>, headers: Record<string, string> = wait) => {
    const { status, body } = await berth.call<Record<string, string>>(name, input, undefined, headers)
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    return body
  }
  const idsOf = async (list: string, field: string) =>
    ((await ok(list, {})) as unknown as Record<string, string>[]).map((it) => it[field]!)
  const { id: adminId } = await berth.admin()
  for (const { name, idField } of kinds) await ok(`${name}.deploy`, { [idField]: known[idField] })
  const [backupIds, runIds]: [string[], string[]] = [[], []]
  for (const { name, idField, createBackup } of kinds.filter(({ backup }) => backup !== undefined)) {
    const { destinationId, schedule } = { schedule: '0 3 * * *', ...known } as Record<string, string>
    const named = createBackup === undefined ? { database: 'shop', databaseType: name } : {}
    const { backupId } = await ok(`backup.${createBackup ?? 'create'}`, {
      schedule,
      prefix: name,
      destinationId,
      ...named,
      [idField]: known[idField],
    })
    backupIds.push(backupId!)
    // The storage cannot be reached. Berth retries for a while, and then the run fails.
    const manual = operations.find((it) => it.name.toLowerCase() === `backup.manualbackup${name}`)!
    runIds.push((await ok(manual.name, { backupId }, {})).runId!)
  }
  runIds.push(await addDump(berth.app, known))
  const invited = await ok('user.invite', { email })
  const { account } = (await ok('auth.createUser', { id: invited.id, token: invited.token, password })) as unknown as {
    account: { id: string }
  }
  const { id: invitationId } = await ok('user.invite', { email: 'third@example.org' })
  await ok('auth.login', { email, password })
  await ok('auth.createToken', { name: 'fuzz', scope: 'read' })
  return {
    backupId: backupIds,
    runId: runIds,
    sessionId: await idsOf('auth.sessions', 'sessionId'),
    tokenId: await idsOf('auth.tokens', 'tokenId'),
    userId: [adminId, account.id],
    authId: [adminId, account.id],
    email: [email],
    password: [password],
    id: [adminId, account.id, invitationId!],
  }
}

/** Inserts a dump whose manifest is in the store. Its object does not exist. Returns the id of the run. */
function addDump(app: App, known: Known): Promise<string> {
  const { postgresId: databaseId, destinationId } = known as Record<string, string>
  const columns = { backupId: null, databaseId: databaseId!, destinationId: destinationId!, status: 'done' } as const
  return insertDump({ app, now: app.now }, { ...columns, key: 'shop.dump', manifest: JSON.stringify(storedManifest) })
}
