/**
 * A backup run of Berth's own state. It has the steps of a database dump: upload the state, download and decrypt the
 * object completely with the master key, and write the manifest.
 */
import { keyOf } from '../../dumps/manifest.ts'
import { withExpectedSize } from '../../backups/runs/upload-size.ts'
import { uploadManifest, checkReceivedObject, type RunContext, store } from '../../backups/runs/run.ts'
import { readOwnState, storeOf } from './state.ts'
import { openState, type StateHeader } from './file.ts'
import { drain, digester, tapped } from '../../dumps/streams.ts'

interface StateManifest {
  state: StateHeader
  runId: string
  sizeBytes: number
  sha256: string
}

/** Continues the run from the step in its row to the end. */
export async function dumpState(run: RunContext, prefix: string): Promise<void> {
  if (run.row.step === 'dump') await withExpectedSize(run, (expectedBytes) => upload(run, prefix, expectedBytes))
  if (run.row.step === 'check') await check(run)
  await uploadManifest(run)
}

async function upload(run: RunContext, prefix: string, expectedBytes: number): Promise<void> {
  const { runtime, row, storage, signal } = run
  const at = runtime.now()
  const key = keyOf({ prefix, appName: 'berth', database: row.database, runId: row.id, extension: 'berth', at })
  // Copy the state before the key is stored. A Berth restored from this copy must not know the key, because it would
  // delete the object as the remains of an interrupted run.
  const state = await readOwnState(runtime.config, at)
  try {
    const { header } = state
    await store(run, { key, serverVersion: header.storeVersion, startedAt: at.toISOString() })
    const digest = digester()
    const onBegun = (uploadId: string) => store(run, { uploadId })
    await storage.upload(key, tapped(state.sealed(), digest.tap), { signal, expectedBytes, onBegun })
    const manifest: StateManifest = { state: header, runId: row.id, ...digest.result() }
    await store(run, {
      step: 'check',
      uploadId: null,
      ...digest.result(),
      rawBytes: header.sizeBytes,
      manifest: JSON.stringify(manifest),
    })
  } finally {
    await state.close()
  }
}

/** Verifies that the object has the uploaded bytes, and that the current master key decrypts it completely. */
async function check(run: RunContext): Promise<void> {
  const { runtime, row, storage, signal } = run
  const digest = digester()
  await drain(storeOf(await openState(tapped(storage.get(row.key!, signal), digest.tap)), runtime.config))
  checkReceivedObject(row, digest.result())
  await store(run, { step: 'list' })
}
