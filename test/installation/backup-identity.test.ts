/** The command that exports the age identity of backups, while Berth runs and while it is stopped. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { recipientOf } from '../../src/lib/crypto/encryption.ts'
import { checkChain } from '../../src/api/audit-log.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { startBerth } from '../fixtures/harness.ts'
import { configOf, fill, isInFiles, openFilled } from './filled-store.ts'
import { run } from './run-command.ts'

const exportCommand = ['key', 'export-backup-identity']
/** The format of age-keygen. */
const keyFilePattern = new RegExp(
  '^# created: \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\n' +
    '# public key: (age1[a-z0-9]{58})\n(AGE-SECRET-KEY-1[A-Z0-9]{58})\n$',
)

interface Recipient {
  recipient: string | null
  exportedAt: string | null
}

test('exports a file in the format of age-keygen while Berth runs, and the same text a second time', async (t) => {
  await using berth = await startBerth()
  const target = join(temporaryFolder(t), 'identity.txt')
  const read = async () => (await berth.call<Recipient>('backup.installationRecipient')).body
  assert.deepEqual(await read(), { recipient: null, exportedAt: null })
  const result = await run(berth.folder, [...exportCommand, target])
  assert.deepEqual([result.status, result.err], [0, ''])
  const text = readFileSync(target, 'utf8')
  const [, recipient, identity] = keyFilePattern.exec(text)!
  assert.equal(await recipientOf(identity!), recipient)
  assert.match(result.out, new RegExp(recipient!))
  assert.ok(!result.out.includes(identity!), 'standard output does not contain the identity')
  assert.equal(statSync(target).mode & 0o777, 0o600)
  const first = await read()
  assert.deepEqual([first.recipient, typeof first.exportedAt], [recipient, 'string'])

  const printed = await run(berth.folder, exportCommand)
  assert.deepEqual([printed.status, printed.out], [0, text], 'standard output contains only the key file')
  assert.match(printed.err, new RegExp(recipient!))
  const later = await read()
  assert.ok(later.recipient === recipient && later.exportedAt! > first.exportedAt!)
  const { db, vault } = berth.app
  const entries = await db
    .selectFrom('audit')
    .select(['kind', 'operation', 'record', 'result'])
    .where('kind', '=', 'machine')
    .execute()
  const entry = { kind: 'machine', operation: 'machine.exportBackupIdentity', record: null, result: 'OK' }
  assert.deepEqual(entries, [entry, entry])
  assert.equal((await checkChain(db, vault)).brokenAt, null)
})

test('two simultaneous exports write the same identity', async () => {
  await using berth = await startBerth()
  const both = await Promise.all([run(berth.folder, exportCommand), run(berth.folder, [...exportCommand, '-'])])
  assert.deepEqual(
    both.map(({ status }) => status),
    [0, 0],
  )
  assert.equal(both[0].out, both[1].out)
})

test('does not overwrite a file, and stores no time for a failed export', async (t) => {
  await using berth = await startBerth()
  const folder = temporaryFolder(t)
  const target = join(folder, 'existing')
  writeFileSync(target, 'other text')
  const cases: [string, RegExp][] = [
    [target, /The file .+existing already exists/],
    [join(folder, 'missing', 'file'), /ENOENT/],
  ]
  for (const [path, messagePattern] of cases) {
    const result = await run(berth.folder, [...exportCommand, path])
    assert.deepEqual([result.status, result.out], [1, ''])
    assert.match(result.err, messagePattern)
    assert.doesNotMatch(result.err, /AGE-SECRET-KEY/)
  }
  assert.equal(readFileSync(target, 'utf8'), 'other text')
  const { body } = await berth.call<Recipient>('backup.installationRecipient')
  assert.equal(body.exportedAt, null)
})

test('seals the identity in the store, and keeps it after a key rotation and a restore', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-machine-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await (await startBerth({ folder })).close()
  const before = await run(folder, exportCommand)
  assert.equal(before.status, 0, before.err)
  const [, recipient, identity] = keyFilePattern.exec(before.out)!
  assert.ok(isInFiles(folder, recipient!) && !isInFiles(folder, identity!))
  assert.equal((await run(folder, ['key', 'rotate'])).status, 0)
  assert.equal((await run(folder, exportCommand)).out, before.out)

  const [backup, other] = [join(temporaryFolder(t), 'state'), temporaryFolder(t)]
  assert.equal((await run(folder, ['state', 'backup', backup])).status, 0)
  const env = { BERTH_MASTER_KEY: readFileSync(join(folder, 'master.key'), 'utf8').trim() }
  assert.equal((await run(other, ['state', 'restore', backup], env)).status, 0)
  assert.equal((await run(other, exportCommand, env)).out, before.out)
})

test('prints the usage for wrong arguments, and creates no identity', async (t) => {
  const folder = temporaryFolder(t)
  await fill(configOf(folder))
  const exported = await run(folder, exportCommand)
  for (const extraArgs of [['a', 'b'], ['--force']]) {
    const { status, out, err } = await run(folder, [...exportCommand, ...extraArgs])
    assert.deepEqual([status, out], [2, ''])
    assert.match(err, /takes at most one argument[\s\S]*export-backup-identity \[FILE\]/)
  }
  const { store } = await openFilled(configOf(folder))
  const rows = await store.db.selectFrom('backupIdentity').select('recipient').execute()
  await store.close()
  assert.ok(rows.length === 1 && exported.out.includes(rows[0]!.recipient))
})
