/** `backup.url` and `backup.download` against a real S3 server: the URL reads the object without any key. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { createClient } from '../../client/client.ts'
import { insertDump } from '../backups/backups.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'
import { startStorage, type Storage } from './storage.ts'

const opened = new AsyncDisposableStack()
let storage: Storage
let berth: Berth
before(async () => {
  storage = opened.use(await startStorage({ region: 'eu-central-1' }))
  storage.makeBucket('backups')
  berth = opened.use(await startBerth())
})
after(() => opened.disposeAsync())

const content = randomBytes(300_000)
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Stores a dump under a key with characters that URLs encode. @returns the id of its run */
async function storeDump(settings = storage.settings('backups')): Promise<string> {
  const { body } = await berth.call<{ destinationId: string }>('destination.create', {
    name: berth.app.newId(),
    ...settings,
  })
  const key = `team (a)/it's!/100%25/${berth.app.newId()}.dump.zst`
  using bucket = openBucket(storage.settings('backups'))
  await bucket.put(key, content)
  return insertDump(
    { app: berth.app, now: berth.app.now },
    {
      backupId: null,
      databaseId: null,
      destinationId: body.destinationId,
      status: 'done',
      finishedAt: '2026-11-22T03:00:01.000Z',
      key,
      sizeBytes: content.length,
      sha256: sha256Of(content),
    },
  )
}

test('a pre-signed URL downloads the object', async () => {
  const runId = await storeDump()
  const { status, body } = await berth.call<{ url: string; sha256: string }>('backup.url', { runId, seconds: 60 })
  assert.equal(status, 200, JSON.stringify(body))
  const answer = await fetch(body.url)
  assert.equal(answer.status, 200, await answer.clone().text())
  assert.equal(sha256Of(new Uint8Array(await answer.arrayBuffer())), body.sha256)
  const forged = await fetch(body.url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=3600'))
  assert.equal(forged.status, 403)
})

test('an object is downloaded through Berth', async () => {
  const client = createClient({ url: await berth.listen(), token: (await berth.admin()).token })
  const { bytes } = await client.backup.download({ runId: await storeDump() })
  assert.ok(Buffer.concat(await Array.fromAsync(bytes)).equals(content))
})
