/** Nodes as the API returns them: the engine's data, with what the store knows to be pinned to each node. */
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { DeploymentReason } from '../deployments/reason.ts'
import { reasonAnswer } from '../deployments/reason-message.ts'
import type { FoundNode } from '../engine/node.ts'
import type { Json } from '../lib/json.ts'
import type { NodeEntry } from '../cluster/queries.ts'
import { ReasonCode } from '../deployments/fields.ts'

const Pinned = z.object({
  type: z
    .enum(['database', 'volume', 'registry', 'port', 'proxy'])
    .describe('A volume is one that is kept of a removed service'),
  id: z.string().describe('Of the service, the volume (the registry has one too), the port; of the proxy its service'),
  name: z.string().describe('The appName of the service; of a port what it is and for whom'),
})
export type Pinned = z.output<typeof Pinned>

export const Node = z.object({
  id: z.string(),
  hostname: z.string(),
  role: z.enum(['worker', 'manager']),
  availability: z.enum(['active', 'pause', 'drain']),
  state: z.enum(['ready', 'down', 'unknown', 'disconnected']),
  since: z.string().nullable().describe('When Berth first saw it in this state; null where it has only just come'),
  address: z.string(),
  engineVersion: z.string(),
  cpuCores: z.number(),
  memoryBytes: z.number(),
  labels: z.record(z.string(), z.string()),
  leader: z.boolean().describe('It leads the managers'),
  reachable: z.boolean().nullable().describe('Whether the other managers reach it; null for a worker'),
  isOwn: z.boolean().describe("Berth's own engine stands on it"),
  pinned: z.array(Pinned).describe('What cannot move to another node'),
  removal: z
    .object({
      deploymentId: z.string(),
      startedAt: z.string(),
      force: z.boolean(),
      reason: z.string().nullable().describe('How far it has come'),
      reasonCode: ReasonCode,
    })
    .nullable()
    .describe('Its removal under way; null without'),
})

const maxLabels = 100
const LabelKey = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$/

export const Labels = z
  .record(
    z
      .string()
      .max(255, 'names must have at most 255 characters')
      .regex(LabelKey, 'names must be of letters, digits, dots, dashes, slashes and underscores'),
    z
      .string()
      .max(255, 'values must have at most 255 characters')
      // Control characters of ASCII and of Latin-1.
      .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'values must not contain control characters'),
  )
  .refine((labels) => Object.keys(labels).length <= maxLabels, `must be at most ${maxLabels}`)

/** @param entries all entries of the store, for any node */
export function nodeRecords(
  nodes: FoundNode[],
  entries: readonly NodeEntry[],
  config: Pick<Config, 'proxy'>,
): z.input<typeof Node>[] {
  const byNode = Map.groupBy(entries, ({ nodeId }) => nodeId)
  const ownNode = (byNode.get(null) ?? []).filter(({ of }) => of !== 'proxy' || config.proxy === 'service')
  return nodes.map(({ ready: _, active: __, local, manager, ...node }) => {
    const ofNode = byNode.get(node.id) ?? []
    const observation = ofNode.find(({ of }) => of === 'state')
    return {
      ...node,
      since: observation?.name === node.state ? observation.detail : null,
      leader: manager?.leader ?? false,
      reachable: manager?.reachable ?? null,
      isOwn: local,
      pinned: [...ofNode, ...(local ? ownNode : [])].flatMap(pinnedFrom),
      removal: removalFrom(ofNode.find(({ of }) => of === 'removal' || of === 'forcedRemoval')),
    }
  })
}

function pinnedFrom({ of, id, name, detail }: NodeEntry): Pinned[] {
  switch (of) {
    case 'port':
      return [{ type: of, id, name: `${detail} of ${name}` }]
    case 'database':
    case 'volume':
    case 'registry':
    case 'proxy':
      return [{ type: of, id, name }]
    default:
      return []
  }
}

function removalFrom(entry: NodeEntry | undefined): z.input<typeof Node>['removal'] {
  if (entry === undefined) return null
  const { of, id, name, detail } = entry
  const reason = reasonAnswer(detail as Json<DeploymentReason> | null)
  return { deploymentId: id, startedAt: name, force: of === 'forcedRemoval', ...reason }
}

/** Describes something pinned to a node in a message. */
export function pinnedText({ type, name }: Pinned): string {
  const texts = {
    database: name,
    volume: `the kept volume of ${name}`,
    registry: 'the registry',
    port: `the port ${name}`,
    proxy: 'the proxy',
  }
  return texts[type]
}
