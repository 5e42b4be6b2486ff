/**
 * A restore, in three steps that each begin from the store: the service runs; what it holds is dumped, unless it is a
 * new one; the dump replaces it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { decryptWith } from '../lib/encryption.ts'
import { insertRun } from '../store/backup-runs.ts'
import type { BackupRunTable } from '../store/backup-schema.ts'
import { consumed } from './archive.ts'
import { objectOf } from './drill-run.ts'
import { dump } from './dump-run.ts'
import type { Manifest } from './manifest.ts'
import { type Running, store } from './run.ts'
import { RunFailure, serverOf, subjectOf } from './server.ts'
import type { Bytes } from './streams.ts'
import { discard } from './take-back.ts'

/** For a service that had to be started or made. */
const upMs = 15 * 60_000
const askAgainMs = 500
/** Where safety dumps lie, beside those of backups. */
const safetyPrefix = 'berth-safety'

export async function restore(it: Running): Promise<void> {
  if (it.row.step === 'prepare') {
    await untilUp(it)
    await store(it, { step: it.row.skipSafetyDump === 1 ? 'load' : 'safety' })
  }
  if (it.row.step === 'safety') {
    await safetyDump(it)
    await store(it, { step: 'load' })
  }
  await load(it)
}

async function untilUp({ world, row, signal }: Running): Promise<void> {
  const until = performance.now() + upMs
  for (;;) {
    const { row: service } = await subjectOf(world, row.databaseId).catch(async (error: unknown) => {
      if (!(error instanceof RunFailure) || performance.now() > until) throw error
      return { row: null }
    })
    if (service?.observed === 'up' && service.deploymentId === null) return
    if (service?.applicationStatus === 'error') throw new RunFailure(`It is not up: ${service.statusReason}`)
    if (performance.now() > until) throw new RunFailure('The service did not come up in time')
    await pause(askAgainMs, undefined, { signal })
  }
}

/** A run of its own, which stays when the restore has failed: it is the way back. */
async function safetyDump(it: Running): Promise<void> {
  const { world, row } = it
  const known = await world.db.selectFrom('backupRun').selectAll().where('id', '=', row.safetyRunId ?? '')
    .executeTakeFirst()
  if (known?.status === 'done') return
  // Half sent it begins anew; whole it is in the bucket, and goes on from its step.
  if (known?.step === 'dump') await discard(it, known)
  const safety = known ?? await beginSafety(it)
  const inner = { ...it, row: safety }
  await dump(inner, safetyPrefix)
  await store(inner, { status: 'done', finishedAt: world.now().toISOString() })
}

async function beginSafety(it: Running): Promise<BackupRunTable> {
  const { world, row } = it
  const { backupId, kind, databaseId, database, destinationId } = row
  const at = world.now().toISOString()
  const given = { backupId, kind, databaseId, database, destinationId, status: 'running', startedAt: at } as const
  const safety = await world.transact(async (tx) => {
    const made = await insertRun(tx, { ...given, id: world.newId(), action: 'dump', trigger: 'safety' }, world.now())
    await tx.updateTable('backupRun').set({ safetyRunId: made.id }).where('id', '=', row.id).execute()
    return made
  })
  row.safetyRunId = safety.id
  return safety
}

async function load(it: Running): Promise<void> {
  const { world, row, signal } = it
  const { kind, image, settings, host, version, mask } = serverOf(world, await subjectOf(world, row.databaseId))
  const manifest = JSON.parse(row.manifest!) as Manifest
  const identity = row.identity === null ? null
    : world.vault.open({ table: 'backupRun', column: 'identity', row: row.id }, row.identity)
  const open = (bytes: Bytes) => (identity === null ? bytes : decryptWith(identity, bytes))
  const roles = manifest.contents.roles ?? []
  const program = kind.backup!.restore(settings, { host, port: kind.port, database: row.database, roles }, version)
  const tool = { name: `berth-load-${row.id}`, recordId: row.id, image, program, mask }
  await consumed(world, tool, objectOf(it, row, manifest, open), signal)
}
