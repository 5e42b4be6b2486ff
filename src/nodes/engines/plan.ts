/** Decides which certificates are renewed, which fingerprints nodes accept, and how a rotation goes on. Pure. */
import type { RotationStep as AuthorityRotationStep } from '../../authority/rotation.ts'
import type { AuthorityTable } from '../../authority/table.ts'
import type { FoundNode } from '../../engine/node.ts'
import type { AccessState, EngineAccessTable, NodeEngineTable } from './table.ts'

const dayMs = 24 * 3600_000
/** How long certificates of the authority `engines` are valid, and how long before their end Berth renews them. */
export const [validDays, renewalDays] = [365, 60]

type Certificate = Pick<NodeEngineTable, 'generation' | 'notAfter'> & { notBefore: Date }
/** The generation of the authority that signs now. */
export type Signing = Pick<AuthorityTable, 'generation' | 'notAfter'>
type Access = Pick<EngineAccessTable, 'fingerprint' | 'state' | 'generation' | 'notAfter'>
type Engine = Pick<NodeEngineTable, 'nodeId' | 'state' | 'fingerprints'>

/**
 * Whether a certificate is replaced: it ends soon, was signed by an earlier generation of the authority, or was issued
 * while the clock was ahead, so that it is not valid yet. A certificate ends with its authority at the latest, and a new
 * one would not end later.
 */
export function isRenewalDue({ generation, notBefore, notAfter }: Certificate, signing: Signing, now: Date): boolean {
  if (generation !== signing.generation || notBefore > now) return true
  return notAfter < signing.notAfter && Date.parse(notAfter) - now.getTime() < renewalDays * dayMs
}

/** The nodes whose engine Berth calls through a port. Berth calls its own node's engine directly. */
export const otherNodes = (nodes: readonly FoundNode[]): FoundNode[] => nodes.filter(({ local }) => !local)

const unusableAddresses = ['', '0.0.0.0', '127.0.0.1', '::']

/**
 * Whether Swarm knows the node's name and an address at which its port can listen. It does not for a moment after the
 * node has joined, or was demoted.
 */
export const isDescribed = ({ hostname, address }: FoundNode): boolean =>
  hostname !== '' && !unusableAddresses.includes(address)

/** Whether the port can start on the node now. */
export const canStart = ({ ready, availability }: FoundNode): boolean => ready && availability !== 'drain'

const acceptedStates: readonly AccessState[] = ['current', 'next']

/** The fingerprints that nodes should accept now, in a fixed order. */
export const acceptedFingerprints = (access: readonly Access[]): string[] =>
  access
    .filter(({ state }) => acceptedStates.includes(state))
    .map(({ fingerprint }) => fingerprint)
    .sort()

export const fingerprintsOf = ({ fingerprints }: Pick<Engine, 'fingerprints'>): string[] =>
  fingerprints.split(',').filter(Boolean)

/**
 * Whether the port can change although there is work on the node: Berth does not reach it anyway, or it accepts a
 * revoked certificate.
 */
export function isUrgent(row: Engine, access: readonly Access[]): boolean {
  const accepted = fingerprintsOf(row)
  const isRevoked = access.some(({ state, fingerprint }) => state === 'revoked' && accepted.includes(fingerprint))
  const current = access.find(({ state }) => state === 'current')
  const isAccepted = current !== undefined && accepted.includes(current.fingerprint)
  return isRevoked || !isAccepted || row.state !== 'reachable'
}

/**
 * The next step of a rotation: `switch`: every node accepts the next certificate, so Berth changes to it. `finish`: no
 * node accepts an earlier certificate. `wait`: some nodes still have to change. `none`: no rotation is in progress.
 */
export type RotationStep = { do: 'switch' | 'finish' | 'none' } | { do: 'wait'; nodeIds: string[] }

/** @param engines the ports whose service exists */
export function rotationStep(access: readonly Access[], engines: readonly Engine[]): RotationStep {
  const next = access.find(({ state }) => state === 'next')
  const old = access.filter(({ state }) => state === 'previous' || state === 'revoked')
  if (next === undefined && old.length === 0) return { do: 'none' }
  const isDone = (engine: Engine) => {
    const accepted = fingerprintsOf(engine)
    if (engine.state === 'starting') return false
    if (next !== undefined) return accepted.includes(next.fingerprint)
    return !old.some(({ fingerprint }) => accepted.includes(fingerprint))
  }
  const waiting = engines.filter((engine) => !isDone(engine)).map(({ nodeId }) => nodeId)
  if (waiting.length > 0) return { do: 'wait', nodeIds: waiting }
  return { do: next === undefined ? 'finish' : 'switch' }
}

/**
 * What a rotation of the authority `engines` does next. `switch`: every port trusts the next generation, so it signs from
 * now on. `finish`: nothing uses a certificate of the earlier generation. `wait`: some ports or certificates still have
 * to change.
 *
 * @param step the present step of the rotation
 * @param signing the generation that signs
 * @param engines the ports whose service exists. `isCurrent`: the service has the wanted trust and certificate
 */
export function authorityStep(
  step: AuthorityRotationStep,
  signing: number,
  access: readonly Pick<Access, 'generation'>[],
  engines: readonly (Pick<NodeEngineTable, 'state' | 'generation'> & { isCurrent: boolean })[],
): 'switch' | 'finish' | 'wait' {
  if (!engines.every(({ state, isCurrent }) => isCurrent && state !== 'starting')) return 'wait'
  if (step === 'distributing') return 'switch'
  return [...access, ...engines].every(({ generation }) => generation === signing) ? 'finish' : 'wait'
}
