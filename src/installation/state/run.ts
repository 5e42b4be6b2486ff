/**
 * A backup of Berth's own state, in the steps of a dump: sent, read back and opened to its end with the master key,
 * listed by a manifest beside it.
 */
import { keyOf } from '../../dumps/manifest.ts'
import { listBeside, refuseOther, type Running, store } from '../../backups/runs/run.ts'
import { readOwnState, storeOf } from './state.ts'
import { openState, type StateHeader } from './file.ts'
import { drain, summed, tapped } from '../../dumps/streams.ts'

interface StateManifest {
  state: StateHeader
  runId: string
  sizeBytes: number
  sha256: string
}

/** From the step that the row says to the end. */
export async function dumpState(it: Running, prefix: string): Promise<void> {
  if (it.row.step === 'dump') await send(it, prefix)
  if (it.row.step === 'check') await check(it)
  await listBeside(it)
}

async function send(it: Running, prefix: string): Promise<void> {
  const { runtime, row, bucket, signal } = it
  const at = runtime.now()
  const key = keyOf({ prefix, appName: 'berth', database: row.database, runId: row.id, extension: 'berth', at })
  // Before the key is stored: a Berth that is restored from this must know no key of this run that it could take back.
  const state = await readOwnState(runtime.config, at)
  try {
    const { header } = state
    await store(it, { key, serverVersion: header.storeVersion, startedAt: at.toISOString() })
    const sum = summed()
    const onBegun = (uploadId: string) => store(it, { uploadId })
    await bucket.upload(key, tapped(state.sealed(), sum.tap), { signal, onBegun })
    const manifest: StateManifest = { state: header, runId: row.id, ...sum.sum() }
    await store(it, {
      step: 'check',
      uploadId: null,
      ...sum.sum(),
      rawBytes: header.sizeBytes,
      manifest: JSON.stringify(manifest),
    })
  } finally {
    await state.close()
  }
}

/** Good is what would be restored: every byte of it as it was sent, and opened by the key that there is. */
async function check(it: Running): Promise<void> {
  const { runtime, row, bucket, signal } = it
  const sum = summed()
  await drain(storeOf(await openState(tapped(bucket.get(row.key!, signal), sum.tap)), runtime.config))
  refuseOther(row, sum.sum())
  await store(it, { step: 'list' })
}
