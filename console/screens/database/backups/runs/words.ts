/** What is known about a dump, and what began a run, in words. Pure. */
import type { Run } from '../../../../../client/client.ts'

/** What is known about a dump. */
export type Proof =
  | 'verified'
  | 'readBack'
  | 'notVerifiable'
  | 'deleted'
  | 'failed'
  | 'missed'
  | 'cancelled'
  | 'working'

/** The words of the legend, the best proof first. */
export const proofWords: Record<Proof, { word: string; explanation: string }> = {
  verified: {
    word: 'verified by a restore',
    explanation: 'Berth restored the dump to a temporary server and found no difference in its content.',
  },
  readBack: {
    word: 'read back',
    explanation: 'Berth read every byte back from the bucket and counted the rows. Nobody has restored it yet.',
  },
  notVerifiable: {
    word: 'not verifiable',
    explanation:
      'Berth read every byte back from the bucket. A temporary server cannot have what the dump needs, such as another ' +
      'database, so a test restore says nothing about the dump.',
  },
  deleted: { word: 'no longer kept', explanation: 'The dump was good. The rules for keeping dumps have deleted it.' },
  failed: { word: 'failed', explanation: 'A dump or a test of a dump failed. Open the day to see why.' },
  missed: {
    word: 'missed',
    explanation: 'A time of the present schedule passed without a dump, or Berth had to skip it.',
  },
  cancelled: { word: 'cancelled', explanation: 'Somebody ended the dump before it was complete.' },
  working: { word: 'in progress', explanation: 'A dump is being made, or waits for its next attempt.' },
}
export const proofs = Object.keys(proofWords) as Proof[]

/** The proof of a dump. */
export function proofOf(dump: Run): Proof {
  if (dump.status === 'running') return 'working'
  if (dump.status === 'error') return dump.reasonCode === 'Cancelled' ? 'cancelled' : 'failed'
  if (dump.status === 'skipped') return 'missed'
  if (dump.key === null) return 'deleted'
  if (dump.verification === 'notVerifiable') return 'notVerifiable'
  return dump.verifiedAt === null ? 'readBack' : 'verified'
}

/** Whether the dump can be restored now. */
export const isGoodDump = (run: Run): boolean => run.action === 'dump' && run.status === 'done' && run.key !== null

/** Whether a test says that the dump in the bucket is not what Berth made. */
const refutations: ReadonlySet<string> = new Set(['ContentDiffers', 'ManifestDiffers', 'ObjectChanged', 'DumpGone'])
export const isRefutation = ({ action, status, reasonCode }: Run): boolean =>
  action === 'verify' && status === 'error' && reasonCode !== null && refutations.has(reasonCode)

/** What began the run; nothing for a safety dump, whose title says it. */
export const triggerText = (trigger: Run['trigger']): string | null =>
  trigger === 'safety' ? null : trigger === 'schedule' ? 'by schedule' : 'by a call'

/** The kind of a dump. */
export const dumpText = ({ trigger }: Pick<Run, 'trigger'>): string =>
  trigger === 'safety' ? 'safety dump' : trigger === 'schedule' ? 'scheduled dump' : 'manual dump'

/** Which part of the work is done, by the size of the last dump; null if nothing is known. Never full before the end. */
export function partDone(run: Pick<Run, 'step' | 'progressBytes'>, expectedBytes: number | null): number | null {
  if (expectedBytes === null || expectedBytes === 0 || run.progressBytes === 0) return null
  return run.step === 'dump' ? Math.min(0.95, run.progressBytes / expectedBytes) : null
}
