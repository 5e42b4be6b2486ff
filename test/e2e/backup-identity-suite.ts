/**
 * Dumps of one kind that are encrypted for the installation's own identity. Berth drills and restores them without
 * further input. The exported identity decrypts them without Berth.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import type { Manifest } from '../../src/dumps/manifest.ts'
import { differences } from '../../src/kinds/backup.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { run } from '../installation/run-command.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { type BackupEnvironment, createBackup, type RunAnswer } from './backup-suite.ts'
import { job } from './container.ts'
import type { Fields, DatabaseClients } from './database-clients.ts'

const wait = { prefer: 'wait=300' }
const [command, recipient] = ['export-backup-identity', 'installation']

interface Case {
  databaseClients: DatabaseClients
  database: Database
}

/** `context` is filled before the test runs. */
export function identitySuite(kind: Kind, environment: () => BackupEnvironment, context: Case): void {
  test('dumps for the installation are drilled, restored, and decrypted without Berth', async () => {
    const { berth, storage } = environment()
    const call = (name: string, input: Fields) => berth.call<RunAnswer>(`backup.${name}`, input, undefined, wait)
    const ok = async (name: string, input: Fields) => {
      const { status, body } = await call(name, input)
      assert.deepEqual([status, body.message], [200, undefined], name)
      return body
    }
    const { databaseClients, database } = context
    const id = { [kind.idField]: database[kind.idField] }
    const readTexts = () => databaseClients.open(database, (session) => session.read())
    const compareTexts = (what: string, expected: string[]) =>
      compareData(what, async () => assert.deepEqual(await readTexts(), expected))
    const create = () => createBackup(environment(), kind, database, { prefix: 'own', recipient })
    const before = await berth.call<{ exportedAt: string | null }>('backup.installationRecipient')
    if (before.body.exportedAt === null) assert.equal((await create()).status, 412)
    const { out, status } = await run(berth.folder, ['key', command])
    assert.equal(status, 0)
    const created = await create()
    assert.equal(created.status, 200)
    const { backupId } = created.body

    const { runId, key } = await ok(kind.manualBackup!, { backupId })
    const object = readFileSync(`${storage.filesOf('backups')}/${key}`)
    const manifest = JSON.parse(readFileSync(`${storage.filesOf('backups')}/${key}.json`, 'utf8')) as Manifest
    assert.match(key, /\.age$/)
    assert.equal(object.subarray(0, 22).toString(), 'age-encryption.org/v1\n')
    assert.equal(manifest.encryptedFor, /public key: (\S+)/.exec(out)![1])
    const { reason } = await ok('verify', { backupId })
    assert.match(reason!, /^Restored and equal: \d+ tables? with \d+ rows/)

    const dumpedTexts = await readTexts()
    await databaseClients.open(database, (session) => session.write('written after it'))
    const into = { ...id, confirm: database.appName }
    const { safetyRunId } = await ok('restore', { backupId, runId, ...into })
    await compareTexts('the restored texts', dumpedTexts)
    const { body: runs } = await berth.call<RunAnswer[]>('backup.runs', { serviceId: database[kind.idField] })
    const safety = runs.find((run) => run.runId === safetyRunId)!
    assert.deepEqual([safety.backupId, safety.encrypted, safety.status], [null, true, 'done'])
    await ok('restore', { runId: safetyRunId, ...into, skipSafetyDump: true })
    await compareTexts('the texts of the safety dump', [...dumpedTexts, 'written after it'])
    await ok('restore', { runId, ...into, skipSafetyDump: true })
    await checkWithoutBerth(kind, object, /^AGE-SECRET-KEY-.+$/m.exec(out)![0], manifest)
  })
}

/** Decrypts and unpacks a dump with age, zstd and the database's own programs, and compares it with its manifest. */
async function checkWithoutBerth(kind: Kind, object: Buffer, identity: string, manifest: Manifest): Promise<void> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const dump = zstdDecompressSync(await decrypter.decrypt(object))
  assert.equal(dump.length, manifest.rawBytes)
  const { unpack, reader } = kind.backup!
  const reading = reader()
  reading.write(unpack === undefined ? dump : await unpacked(manifest, unpack(manifest.serverVersion), dump))
  await compareData('the decrypted dump', () => assert.deepEqual(differences(manifest.contents, reading.end()), []))
}

async function unpacked({ image }: Manifest, program: Parameters<typeof job>[1], dump: Buffer): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await job(image, program, dump)
  assert.equal(exitCode, 0, stderr)
  return stdout
}
