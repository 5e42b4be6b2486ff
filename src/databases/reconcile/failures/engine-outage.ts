/** Records that a deployment waits because the engine does not answer its steps, and takes the reason back afterwards. */
import * as deployments from '../../../deployments/queries.ts'
import type { DatabaseWait, DeploymentReason } from '../../../deployments/reason.ts'
import { fromJson, type Json, toJson } from '../../../lib/json.ts'
import type { Runtime } from '../../../runtime.ts'
import type { Writer } from '../../../store/schema.ts'
import type { StatusReason } from '../../status.ts'
import { ifCurrent, type Job } from '../outcome.ts'

/** How long consecutive steps of a deployment can fail before the reason is recorded. */
const usualOutageMs = 10_000

interface Outage {
  sinceMs: number
  isRecorded: boolean
  /** The status that the reason replaced. */
  before: Json<StatusReason> | null
}

/** The outages of all deployments in progress. The functions never throw, because they only report. */
export function engineOutages(runtime: Runtime) {
  const outages = new Map<string, Outage>()
  return { recordFailure, recordAnswer, keepOnly }

  /** Called when the engine did not answer a step of the deployment, or did not answer the query before it as it should. */
  async function recordFailure(job: Job, { message: detail }: Error): Promise<void> {
    const nowMs = runtime.now().getTime()
    const outage = outages.get(job.deployment.id) ?? { sinceMs: nowMs, isRecorded: false, before: null }
    outages.set(job.deployment.id, outage)
    // If the clock is set back, the time must not become longer.
    outage.sinceMs = Math.min(outage.sinceMs, nowMs)
    if (outage.isRecorded || nowMs - outage.sinceMs < usualOutageMs) return
    outage.isRecorded = true
    const databaseId = job.row.id
    runtime.log.warn('a deployment waits for the engine', { databaseId, action: job.deployment.action, detail })
    await reporting(job, async (tx) => {
      outage.before = await replaceReason(tx, job, { reason: 'EngineUnavailable', detail })
    })
  }

  /** Called after a step that ended without such a failure. */
  async function recordAnswer(job: Job): Promise<void> {
    const outage = outages.get(job.deployment.id)
    outages.delete(job.deployment.id)
    if (outage?.isRecorded || isOutage(job.row.statusReason) || isOutage(job.deployment.reason)) {
      await reporting(job, (tx) => restoreReason(tx, job, outage?.before ?? null))
    }
  }

  /** Forgets the deployments that are not among `jobs`. */
  function keepOnly(jobs: Job[]): void {
    const present = new Set(jobs.map(({ deployment }) => deployment.id))
    for (const id of outages.keys()) if (!present.has(id)) outages.delete(id)
  }

  async function reporting(job: Job, write: (tx: Writer) => Promise<void>): Promise<void> {
    await ifCurrent(runtime, job, write).catch((error: unknown) =>
      runtime.log.error('could not record an outage of the engine', error, { databaseId: job.row.id }),
    )
  }
}

const isOutage = (reason: Json<StatusReason> | Json<DeploymentReason> | null) =>
  (fromJson(reason as Json<StatusReason> | null)?.reason ?? null) === 'EngineUnavailable'

/** A removal has its reason in the deployment, because calls no longer find the database. Returns the earlier status. */
async function replaceReason(
  tx: Writer,
  { row, deployment }: Job,
  reason: DatabaseWait,
): Promise<Json<StatusReason> | null> {
  if (row.goal === 'gone') {
    await deployments.recordReason(tx, deployment.id, reason)
    return null
  }
  const before = await statusOf(tx, row.id)
  await setStatus(tx, row.id, toJson<StatusReason>(reason))
  return isOutage(before) ? null : before
}

/** Does nothing if a step has recorded another reason since. */
async function restoreReason(tx: Writer, { row, deployment }: Job, before: Json<StatusReason> | null): Promise<void> {
  if (row.goal === 'gone') {
    const { reason } = await deployments.get(tx, deployment.id)
    if (isOutage(reason)) await deployments.recordReason(tx, deployment.id, null)
  } else if (isOutage(await statusOf(tx, row.id))) await setStatus(tx, row.id, before)
}

async function statusOf(tx: Writer, id: string): Promise<Json<StatusReason> | null> {
  return (await tx.selectFrom('database').select('statusReason').where('id', '=', id).executeTakeFirstOrThrow())
    .statusReason
}

async function setStatus(tx: Writer, id: string, statusReason: Json<StatusReason> | null): Promise<void> {
  await tx.updateTable('database').set({ statusReason }).where('id', '=', id).execute()
}
