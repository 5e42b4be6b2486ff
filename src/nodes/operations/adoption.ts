/**
 * The operation that takes back the volumes of a node that left the swarm. The machine has joined again, or the swarm was
 * made anew: the node has another id, and its volumes are still there. The operation verifies the volumes and records
 * their new node in one transaction. The usual loops then start everything.
 */
import { z } from 'zod'
import { type ActionContext, action } from '../../api/contract.ts'
import { answeredIdOf, idOf } from '../../api/fields.ts'
import { leavingNodes, nameOfVolume, volumesOn } from '../../cluster/queries.ts'
import { enter } from '../../databases/begin-work.ts'
import { selectRows } from '../../databases/operations/records.ts'
import { requireOtherNode } from '../../databases/queries.ts'
import type { FoundNode } from '../../engine/node.ts'
import { refuse, refuseField } from '../../errors.ts'
import { listOf } from '../../lib/text/listing.ts'
import type { VolumeTable, Writer } from '../../store/schema.ts'
import { type NewNode, rebind } from '../../volumes/returned.ts'
import { type Checked, checkVolumes } from '../adoptable.ts'
import { adoptionFindings, adoptionMessage } from '../adoption-message.ts'
import { nodeOf, nodesWith } from './cluster.ts'

const AdoptedVolume = z.object({
  volumeId: answeredIdOf('volume'),
  name: z.string().describe('Name of the Docker volume'),
  kind: z.string().describe('Kind of the database that the volume is for, such as postgres, or registry'),
  appName: z.string().describe('appName of the service that owns the volume, or of its last owner'),
  state: z
    .enum(['attached', 'kept', 'removing'])
    .describe('attached: a service owns it. kept: its service was removed. removing: volume.remove deletes it'),
  finding: z.string().nullable().describe('Why the volume is not taken back. Null: it is taken back'),
  findingCode: z
    .enum(adoptionFindings)
    .nullable()
    .meta({ title: 'AdoptionFinding' })
    .describe('The code of the finding, for programs. Null without a finding'),
})

const Adoption = z
  .object({
    missingNodeId: answeredIdOf('node that left the swarm'),
    missingHostname: z.string().describe('Host name of that node'),
    nodeId: answeredIdOf('node that has the volumes'),
    hostname: z.string().describe('Host name of the node that has the volumes'),
    adopted: z.boolean().describe('Whether the volumes were taken back. false: the call had no `confirm`'),
    volumes: z.array(AdoptedVolume).describe('All volumes that Berth has recorded on the missing node'),
    deploymentIds: z.array(z.string()).describe('The deployments that start the databases, see deployment.all'),
  })
  .meta({ title: 'Adoption' })

export const adoptNode = action({
  name: 'cluster.adoptNode',
  summary: 'Take back the volumes of a node that left the swarm and joined again, or of a swarm that was made anew',
  description:
    'A machine that leaves a swarm and joins again has another node id, while its volumes are still on its disk. ' +
    'cluster.getNodes shows under `returned` where Berth found them. Without `confirm` the call changes nothing and ' +
    'answers what would be taken back. Berth verifies the label of each volume and the mark in its data. A volume that ' +
    'differs is left out, with its finding. With `confirm` all other volumes get the new node in one step. Berth then ' +
    'starts the databases, the registry and their ports; `Prefer: wait` waits for the databases. The call is refused ' +
    'while the missing node is in the swarm, also if it is down, or if two nodes have a volume of the same name.',
  access: 'admin:admin',
  input: z.object({
    missingNodeId: idOf('node that left the swarm'),
    nodeId: idOf('present node that has its volumes'),
    confirm: z
      .string()
      .max(255)
      .optional()
      .describe('The host name of the present node, to confirm. Without it, nothing is changed'),
  }),
  output: Adoption,
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE', 'BAD_GATEWAY'],
  async run(context, { missingNodeId, nodeId, confirm }) {
    const nodes = await nodesWith(context, nodeId)
    const node = nodeOf(nodes, nodeId)
    refuseListed(nodes, missingNodeId)
    const volumes = await volumesOn(context.db, missingNodeId)
    if (volumes.length === 0) refuse('NOT_FOUND', noVolumesMessage)
    const checked = await checkVolumes(context, volumes, node, nodes)
    if (confirm === undefined) return answerOf(missingNodeId, node, checked, null)
    if (confirm !== node.hostname) refuseField('confirm', `must be ${node.hostname}, the host name of the present node`)
    if (checked.every(({ finding }) => finding !== null)) refuse('CONFLICT', nothingFoundMessage(node, checked))
    return context.conclude(async (tx, wake, follow) => {
      const deploymentIds = await adopt({ ...context, tx, wake, follow }, missingNodeId, node, checked)
      return answerOf(missingNodeId, node, checked, deploymentIds)
    })
  },
})

const noVolumesMessage =
  'Berth has recorded no volume on a node with this id. cluster.getNodes shows under `returned` the lost nodes whose ' +
  'volumes were found'

/** A node that is in the swarm may still run its servers, also if it is down. One that left never gets its id again. */
function refuseListed(nodes: readonly FoundNode[], missingNodeId: string): void {
  const listed = nodes.find(({ id }) => id === missingNodeId)
  if (listed === undefined) return
  refuse(
    'CONFLICT',
    `Node ${listed.hostname} (${listed.id}) is still in the swarm: it is ${listed.state}. If its machine has joined again ` +
      'with another id, remove the old node first with cluster.removeWorker and force: true. Its volumes stay on the machine',
  )
}

function nothingFoundMessage({ hostname }: FoundNode, checked: readonly Checked[]): string {
  const causes = checked.map(({ volume, finding }) => `${nameOfVolume(volume)}: ${adoptionMessage(finding!)}`)
  return `Node ${hostname} has none of the volumes. ${listOf(causes)}`
}

type AdoptContext = Pick<ActionContext, 'now' | 'newId' | 'backups'> & Parameters<typeof enter>[0]

/** Records the new node everywhere. Returns the ids of the deployments that start the databases. */
async function adopt(context: AdoptContext, missingId: string, node: FoundNode, checked: readonly Checked[]) {
  const { tx, wake } = context
  if ((await leavingNodes(tx)).has(node.id)) {
    refuse('CONFLICT', `Node ${node.hostname} is being removed, so it cannot take volumes`)
  }
  const to = { nodeId: node.id, nodeName: node.hostname, nodeAddress: node.address }
  const found = checked.flatMap(({ volume, finding }) => (finding === null ? [volume] : []))
  await refuseDuringMoves(tx, missingId, found)
  const present = new Map((await volumesOn(tx, missingId)).map((volume) => [volume.id, volume]))
  for (const volume of found) await rebindUnchanged(tx, volume, present.get(volume.id), to)
  await requireOtherNode(tx, missingId, node.id)
  const deploymentIds: string[] = []
  for (const volume of found) {
    const id = await startOn(context, volume)
    if (id !== null) deploymentIds.push(id)
  }
  for (const loop of ['services', 'watch', 'volumes', 'registry', 'ports', 'nodes', 'conditions'] as const) wake(loop)
  return deploymentIds
}

/** A move from or to a missing node ends by itself. Until then it compares the generations of both volumes. */
async function refuseDuringMoves(tx: Writer, missingId: string, volumes: readonly VolumeTable[]): Promise<void> {
  const owners = new Set(volumes.map(({ ownerId }) => ownerId))
  const moves = await tx.selectFrom('move').select(['databaseId', 'nodeId', 'deploymentId']).execute()
  const move = moves.find(({ databaseId, nodeId }) => nodeId === missingId || owners.has(databaseId))
  if (move === undefined) return
  refuse(
    'CONFLICT',
    `The move ${move.deploymentId} has not ended. It ends by itself, as its node is missing. Try again`,
  )
}

/** The mark was compared with the record before the transaction. */
async function rebindUnchanged(tx: Writer, volume: VolumeTable, present: VolumeTable | undefined, to: NewNode) {
  if (present?.identity !== volume.identity || !(await rebind(tx, present, to))) {
    refuse('CONFLICT', `${nameOfVolume(volume)} has changed in the meantime. Nothing was changed. Try again`)
  }
}

/** Starts the database of the volume, if it should run. Work in progress continues by itself. */
async function startOn(context: AdoptContext, { ownerId, ownerKind }: VolumeTable): Promise<string | null> {
  if (ownerId === null || ownerKind !== 'database') return null
  const row = await selectRows(context.tx).where('database.id', '=', ownerId).executeTakeFirst()
  if (row?.goal !== 'up' || row.deploymentId !== null) return null
  if ((await context.backups.lockingRestore(context.tx, row.id)) !== undefined) return null
  return (await enter(context, row, 'start', {})).deploymentId
}

function answerOf(
  missingNodeId: string,
  { id: nodeId, hostname }: FoundNode,
  checked: readonly Checked[],
  deploymentIds: string[] | null,
): z.input<typeof Adoption> {
  return {
    missingNodeId,
    missingHostname: checked[0]!.volume.nodeName,
    nodeId,
    hostname,
    adopted: deploymentIds !== null,
    volumes: checked.map(({ volume: { id: volumeId, name, kind, appName, state }, finding }) => {
      const why = finding === null ? null : adoptionMessage(finding)
      return { volumeId, name, kind, appName, state, finding: why, findingCode: finding?.reason ?? null }
    }),
    deploymentIds: deploymentIds ?? [],
  }
}
