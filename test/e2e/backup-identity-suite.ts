/**
 * Dumps for the installation's own identity, of one kind: encrypted in the bucket, drilled and restored by Berth
 * without any input, and opened without Berth by whoever has the exported file.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import type { Manifest } from '../../src/dumps/manifest.ts'
import { differences } from '../../src/kinds/backup.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { run } from '../installation/run-words.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { BackupEnvironment, RunAnswer } from './backup-suite.ts'
import { job } from './container.ts'
import type { Fields, DatabaseClients } from './database-clients.ts'

const wait = { prefer: 'wait=300' }
const [command, recipient] = ['export-backup-identity', 'installation']

interface Case {
  databaseClients: DatabaseClients
  database: Database
}

export function identitySuite(kind: Kind, opened: () => BackupEnvironment, it: Case): void {
  test('the installation encrypts for itself: drilled, restored, and opened without Berth', async () => {
    const { berth, destinationId, storage } = opened()
    const call = (name: string, input: Fields) => berth.call<RunAnswer>(`backup.${name}`, input, undefined, wait)
    const ok = async (name: string, input: Fields) => {
      const { status, body } = await call(name, input)
      assert.deepEqual([status, body.message], [200, undefined], name)
      return body
    }
    const own = { [kind.idField]: it.database[kind.idField] }
    const backup = {
      schedule: '0 3 * * *',
      prefix: 'own',
      destinationId,
      database: 'shop',
      databaseType: kind.name,
      ...own,
      recipient,
    }
    const before = await berth.call<{ exportedAt: string | null }>('backup.installationRecipient')
    if (before.body.exportedAt === null) assert.equal((await call('create', backup)).status, 412)
    const { out, status } = await run(berth.folder, ['key', command])
    assert.equal(status, 0)
    const { backupId } = (await ok('create', backup)) as RunAnswer & { backupId: string }

    const { runId, key } = await ok(kind.manualBackup!, { backupId })
    const object = readFileSync(`${storage.filesOf('backups')}/${key}`)
    const manifest = JSON.parse(readFileSync(`${storage.filesOf('backups')}/${key}.json`, 'utf8')) as Manifest
    assert.match(key, /\.age$/)
    assert.equal(object.subarray(0, 22).toString(), 'age-encryption.org/v1\n')
    assert.equal(manifest.encryptedFor, /public key: (\S+)/.exec(out)![1])
    const { reason } = await ok('verify', { backupId })
    assert.match(reason!, /^Restored and equal: \d+ tables? with \d+ rows/)

    const wanted = await it.databaseClients.open(it.database, (session) => session.read())
    await it.databaseClients.open(it.database, (session) => session.write('written after it'))
    const into = { ...own, confirm: it.database.appName }
    const { safetyRunId } = await ok('restore', { backupId, runId, ...into })
    assert.deepEqual(await it.databaseClients.open(it.database, (session) => session.read()), wanted)
    const { body: runs } = await berth.call<RunAnswer[]>('backup.runs', { serviceId: it.database[kind.idField] })
    const safety = runs.find((found) => found.runId === safetyRunId)!
    assert.deepEqual([safety.backupId, safety.encrypted, safety.status], [null, true, 'done'])
    await ok('restore', { runId: safetyRunId, ...into, skipSafetyDump: true })
    assert.deepEqual(await it.databaseClients.open(it.database, (session) => session.read()), [
      ...wanted,
      'written after it',
    ])
    await ok('restore', { runId, ...into, skipSafetyDump: true })
    await checkByHand(kind, object, /^AGE-SECRET-KEY-.+$/m.exec(out)![0], manifest)
  })
}

/** With age, zstd and the tools of the database: the dump is whole, and holds what its manifest says. */
async function checkByHand(kind: Kind, object: Buffer, identity: string, manifest: Manifest): Promise<void> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const dump = zstdDecompressSync(await decrypter.decrypt(object))
  assert.equal(dump.length, manifest.rawBytes)
  const { unpack, reader } = kind.backup!
  const reading = reader()
  reading.write(unpack === undefined ? dump : await unpacked(manifest, unpack(manifest.serverVersion), dump))
  assert.deepEqual(differences(manifest.contents, reading.end()), [])
}

async function unpacked({ image }: Manifest, program: Parameters<typeof job>[1], dump: Buffer): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await job(image, program, dump)
  assert.equal(exitCode, 0, stderr)
  return stdout
}
