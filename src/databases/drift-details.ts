/** Renders a difference between the swarm and the deployed configuration as what Berth expects and what it found. Pure. */
import { placementText } from '../deployments/volume-reason-message.ts'
import type { Drift } from './status.ts'

export const driftSubjects = ['service', 'container', 'gateway', 'node', 'other'] as const

export interface DriftDetail {
  code: Drift['reason']
  subject: (typeof driftSubjects)[number]
  expected: string
  found: string
}

type Texts = [subject: DriftDetail['subject'], expected: string, found: string]

const deployedConfiguration = 'the deployed configuration'
const otherVersion = 'made by another version of Berth'

const fixedTexts = {
  ServiceMissing: ['service', 'present', 'missing'],
  ServiceFenced: ['service', 'one container', 'scaled to zero, because its node was unavailable'],
  ServiceOutdated: ['service', deployedConfiguration, `${otherVersion}, or from other records`],
  ServiceChanged: ['service', deployedConfiguration, 'changed outside Berth'],
  ContainerDetached: ['container', "on Berth's network", 'disconnected from the network'],
  GatewayUnwanted: ['gateway', 'none, because no external port is deployed', 'present'],
  GatewayMissing: ['gateway', 'present', 'missing'],
  GatewayOutdated: ['gateway', deployedConfiguration, otherVersion],
  GatewayChanged: ['gateway', deployedConfiguration, 'changed outside Berth'],
  GatewayDetached: ['gateway', "on Berth's network", 'disconnected from the network'],
} as const satisfies Partial<Record<Drift['reason'], Texts>>

export function driftDetail(drift: Drift): DriftDetail {
  const [subject, expected, found] = textsOf(drift)
  return { code: drift.reason, subject, expected, found }
}

function textsOf(drift: Drift): Texts {
  switch (drift.reason) {
    case 'ContainerNotRunning':
      return ['container', 'running', taskText(drift)]
    case 'GatewayNotRunning':
      return ['gateway', 'running', taskText(drift)]
    case 'NodeMissing':
      return ['node', `${drift.node} in the swarm`, 'not in the swarm']
    case 'NodeReturned':
      return ['node', `${drift.node} in the swarm`, `left the swarm, its volume is on ${drift.foundOn}`]
    case 'NodeDown':
      return ['node', `${drift.node} ready`, 'down']
    case 'NodeDrained':
      return ['node', `${drift.node} active`, 'drained']
    case 'PlacedElsewhere':
      return [
        'service',
        drift.recorded === null ? 'no volume' : placementText(drift.recorded),
        placementText(drift.found),
      ]
    case 'AppNameTaken':
      return ['service', `${drift.service} of this database`, "somebody else's service of this name"]
    case 'Legacy':
      return ['other', deployedConfiguration, drift.message]
    default:
      return [...fixedTexts[drift.reason]]
  }
}

/** The state of the newest task, with the failure that Swarm reports. */
export function taskText({ state, detail }: { state: string | null; detail: string | null }): string {
  if (state === null) return 'Swarm runs no container for it'
  return detail === null ? state : `${state} (${detail})`
}
