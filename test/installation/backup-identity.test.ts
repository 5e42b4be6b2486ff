/** The command that exports the identity of backups: with and without a running Berth, always the same identity. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { recipientOf } from '../../src/lib/crypto/encryption.ts'
import { checkChain } from '../../src/api/audit-log.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { startBerth } from '../fixtures/harness.ts'
import { configOf, fill, isInFiles, openIt } from './filled-store.ts'
import { run } from './run-words.ts'

const words = ['key', 'export-backup-identity']
/** The format of age-keygen. */
const form = new RegExp(
  '^# created: \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\n' +
    '# public key: (age1[a-z0-9]{58})\n(AGE-SECRET-KEY-1[A-Z0-9]{58})\n$',
)

interface Recipient {
  recipient: string | null
  exportedAt: string | null
}

test('exports a file in the format of age-keygen while Berth runs, and the same file a second time', async (t) => {
  await using berth = await startBerth()
  const target = join(temporaryFolder(t), 'identity.txt')
  const read = async () => (await berth.call<Recipient>('backup.installationRecipient')).body
  assert.deepEqual(await read(), { recipient: null, exportedAt: null })
  const said = await run(berth.folder, [...words, target])
  assert.deepEqual([said.status, said.err], [0, ''])
  const text = readFileSync(target, 'utf8')
  const [, recipient, identity] = form.exec(text)!
  assert.equal(await recipientOf(identity!), recipient)
  assert.match(said.out, new RegExp(recipient!))
  assert.ok(!said.out.includes(identity!), 'the identity is in the file alone')
  assert.equal(statSync(target).mode & 0o777, 0o600)
  const shown = await read()
  assert.deepEqual([shown.recipient, typeof shown.exportedAt], [recipient, 'string'])

  const printed = await run(berth.folder, words)
  assert.deepEqual([printed.status, printed.out], [0, text], 'standard output has the file and nothing else')
  assert.match(printed.err, new RegExp(recipient!))
  const later = await read()
  assert.ok(later.recipient === recipient && later.exportedAt! > shown.exportedAt!)
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

test('two simultaneous exports give the same identity', async () => {
  await using berth = await startBerth()
  const both = await Promise.all([run(berth.folder, words), run(berth.folder, [...words, '-'])])
  assert.deepEqual(
    both.map(({ status }) => status),
    [0, 0],
  )
  assert.equal(both[0].out, both[1].out)
})

test('does not overwrite a file, and does not count a failed export', async (t) => {
  await using berth = await startBerth()
  const folder = temporaryFolder(t)
  const target = join(folder, 'there')
  writeFileSync(target, 'of somebody else')
  const cases: [string, RegExp][] = [
    [target, /There is a file .+there already/],
    [join(folder, 'missing', 'file'), /ENOENT/],
  ]
  for (const [path, sentence] of cases) {
    const said = await run(berth.folder, [...words, path])
    assert.deepEqual([said.status, said.out], [1, ''])
    assert.match(said.err, sentence)
    assert.doesNotMatch(said.err, /AGE-SECRET-KEY/)
  }
  assert.equal(readFileSync(target, 'utf8'), 'of somebody else')
  const { body } = await berth.call<Recipient>('backup.installationRecipient')
  assert.equal(body.exportedAt, null)
})

test('the identity is sealed in the store, and survives a change of the master key and a restore', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-machine-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await (await startBerth({ folder })).close()
  const before = await run(folder, words)
  assert.equal(before.status, 0, before.err)
  const [, recipient, identity] = form.exec(before.out)!
  assert.ok(isInFiles(folder, recipient!) && !isInFiles(folder, identity!))
  assert.equal((await run(folder, ['key', 'rotate'])).status, 0)
  assert.equal((await run(folder, words)).out, before.out)

  const [backup, other] = [join(temporaryFolder(t), 'state'), temporaryFolder(t)]
  assert.equal((await run(folder, ['state', 'backup', backup])).status, 0)
  const env = { BERTH_MASTER_KEY: readFileSync(join(folder, 'master.key'), 'utf8').trim() }
  assert.equal((await run(other, ['state', 'restore', backup], env)).status, 0)
  assert.equal((await run(other, words, env)).out, before.out)
})

test('answers wrong arguments with the usage, and creates no identity', async (t) => {
  const folder = temporaryFolder(t)
  await fill(configOf(folder))
  const known = await run(folder, words)
  for (const more of [['a', 'b'], ['--force']]) {
    const { status, out, err } = await run(folder, [...words, ...more])
    assert.deepEqual([status, out], [2, ''])
    assert.match(err, /takes the name of one file[\s\S]*export-backup-identity \[FILE\]/)
  }
  const { store } = await openIt(configOf(folder))
  const rows = await store.db.selectFrom('backupIdentity').select('recipient').execute()
  await store.close()
  assert.ok(rows.length === 1 && known.out.includes(rows[0]!.recipient))
})
