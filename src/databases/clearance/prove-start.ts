/** Proves a server that answers but waits for its clearance, and then lets clients reach it. */
import { isDeepStrictEqual } from 'node:util'
import type { LoginReason } from '../../deployments/reason.ts'
import type { Runtime } from '../../runtime.ts'
import { pick } from '../columns.ts'
import { markData, type ProbeSubject, type Proof, prove } from '../reconcile/probe.ts'
import { openTarget } from '../targets.ts'

const loginReasons: Record<LoginReason['reason'], true> = {
  LoginRefused: true,
  LoginNotTried: true,
  NotPrepared: true,
  RotationFailed: true,
  NewCredentialsRefused: true,
  OldCredentialsAccepted: true,
  OwnAccountRefused: true,
  ExternalPortUnreachable: true,
}

/**
 * Whether the server refuses Berth, but runs on the data that it had, and keeps it where the last good server kept it:
 * for example, somebody has changed its password. Clients that know the password could use it before, so they still can.
 */
function isRefusedAgain({ vault }: Runtime, { row, target, volume }: ProbeSubject, proof: Proof): boolean {
  const lastGood = openTarget(vault, 'lastGood', row)
  const isKnown = proof.is === 'failed' && proof.reason.reason in loginReasons
  if (!isKnown || lastGood === null || volume.identity === null) return false
  const placing = ['dockerImage', 'image', 'command', 'env'] as const
  return isDeepStrictEqual(pick(lastGood, placing), pick(target, placing))
}

/**
 * Proves a server that answers but waits for its clearance, as `prove` does, and then lets clients reach it.
 *
 * @param subject without a gateway
 * @param answersSinceMs when the server answered first, in milliseconds since the epoch
 * @throws EngineUnavailable
 */
export async function proveStart(runtime: Runtime, subject: ProbeSubject, answersSinceMs: number): Promise<Proof> {
  const started = { ...subject, isHeldBack: true, since: new Date(answersSinceMs).toISOString() }
  const proof = await prove(runtime, started)
  if (!isRefusedAgain(runtime, subject, proof)) return proof
  const marked = await markData(runtime, started)
  return marked.is === 'marked' ? proof : marked
}
