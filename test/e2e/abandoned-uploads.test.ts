/** Uploads that Berth abandoned and that reappear in the storage are aborted. Nothing else in the bucket changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3'
import { abortAbandonedUploads } from '../../src/backups/runs/abandoned-uploads.ts'
import { openBucket, type Settings } from '../../src/lib/s3/s3.ts'
import { startBerth } from '../fixtures/harness.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { startStorage } from './storage.ts'

const signal = AbortSignal.timeout(60_000)

test('aborts abandoned uploads of its own runs, but not those that a run is still sending', async () => {
  await using storage = await startStorage()
  storage.makeBucket('backups')
  await using berth = await startBerth()
  const { app } = berth
  const {
    body: { destinationId },
  } = await berth.call<{ destinationId: string }>('destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  await berth.call('state.schedule', { schedule: restingSchedule, destinationId, prefix: 'berths' })
  const { body: run } = await berth.call<{ runId: string; key: string }>('state.backup', {}, undefined, {
    prefer: 'wait=60',
  })
  const row = await app.db.selectFrom('backupRun').selectAll().where('id', '=', run.runId).executeTakeFirstOrThrow()
  const dueAt = '2999-01-01T00:00:00.000Z'
  const sending = { ...row, id: app.newId(), status: 'waiting', step: 'dump', dueAt } as const
  const keyFor = (id: string) => `berths/berth/state/20260102T030405Z-${id}.berth`
  await app.transact((tx) =>
    tx
      .insertInto('backupRun')
      .values({ ...sending, key: keyFor(sending.id) })
      .execute(),
  )
  const abandoned = [row.key!, keyFor(row.id), `elsewhere/20260102T030405Z-${sending.id}.berth`]
  const others = [keyFor(sending.id), keyFor(app.newId()), 'pictures/one.png']
  await beginUploads(storage.settings('backups'), [...abandoned, ...others])

  assert.deepEqual(await abortAbandonedUploads({ ...app, storage: {} }, null, signal), [])
  using bucket = openBucket(storage.settings('backups'))
  const left = (await bucket.listUploads('', signal)).map(({ key }) => key)
  assert.deepEqual(left.sort(), others.sort())

  await storage.stop()
  assert.deepEqual(await abortAbandonedUploads({ ...app, storage: { attempts: 1 } }, null, signal), [destinationId])
  await storage.start()
  assert.deepEqual(await abortAbandonedUploads({ ...app, storage: {} }, [destinationId], signal), [])
})

async function beginUploads({ endpoint, region, bucket, accessKey, secretAccessKey }: Settings, keys: string[]) {
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey },
  })
  for (const Key of keys) await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }))
  client.destroy()
}
