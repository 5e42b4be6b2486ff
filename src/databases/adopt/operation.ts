/** The operation that starts a new database on a copy of a volume that Berth did not create. */
import { z } from 'zod'
import { action, type ActionContext } from '../../api/contract.ts'
import { idOf } from '../../api/fields.ts'
import { leavingNodes } from '../../cluster/queries.ts'
import { reasonMessage } from '../../deployments/reason-message.ts'
import type { FoundNode, VolumeUse } from '../../engine/engine.ts'
import { installationLabel } from '../../engine/labels.ts'
import { usableNodes } from '../../engine/placement.ts'
import { refuse, refuseField } from '../../errors.ts'
import { kindNamed, kinds } from '../../kinds/index.ts'
import { versionOfTag } from '../../kinds/images.ts'
import { withoutLasting } from '../../kinds/kind.ts'
import { listOf } from '../../lib/text/listing.ts'
import type { Reader } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'
import { beginFromRecord } from '../begin-work.ts'
import { NodeText } from '../columns.ts'
import { record } from '../operations/fields.ts'
import { type Row, selectRows, toRecord } from '../operations/records.ts'
import { openSettings, sealSettings } from '../targets.ts'
import { usersOf } from './copy-volume.ts'

export const adopt = action({
  name: 'volume.adopt',
  summary: 'Deploy a new service with a copy of the volume of another system',
  description:
    'Create the service first, with the image, the names and the passwords of the old server, and do not deploy it. This ' +
    'call copies the data of the volume to a new volume on the same node, and then deploys the service on the copy. The ' +
    'deployment succeeds if the server opens the data and accepts the passwords. The volume itself is mounted read-only ' +
    'and stays as it is. Stop the old server first: Berth refuses a volume that is in use, and a copy during which files ' +
    'changed. If the deployment fails, correct the record with update and call deploy: the copy is made only once.',
  access: 'admin:session',
  input: z.object({
    volume: z
      .string()
      .regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/, 'must be the name of a Docker volume, as docker volume ls shows it')
      .describe('Name of the Docker volume that is copied. No installation of Berth has created it'),
    databaseId: idOf('service without data').describe('Id of the new service, which was never deployed'),
    node: NodeText.optional().describe(
      'Id or host name of the node with the volume. Default: the only node that has it',
    ),
  }),
  output: z.union(kinds.map(record)),
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'BAD_GATEWAY', 'SERVICE_UNAVAILABLE'],
  async run(context, { volume, databaseId, node }) {
    const found = await findRow(context.db, databaseId)
    const place = await findVolume(context, found, volume, node)
    return context.conclude(async (tx, wake, follow) => {
      const row = await findRow(tx, databaseId)
      if ((await leavingNodes(tx)).has(place.id)) {
        refuse('CONFLICT', `Node ${place.hostname} is being removed from the swarm`)
      }
      const kind = kindNamed(row.kind)
      const id = context.newId()
      const settings = withoutLasting(kind, openSettings(context.vault, 'database', row))
      const columns = {
        kind: row.kind,
        ownerKind: 'database' as const,
        ownerId: row.id,
        dataPath: kind.dataPath(versionOfTag(row.dockerImage, kind, context.config.imageAliases)),
        nodeId: place.id,
        nodeName: place.hostname,
        nodeAddress: place.address,
        appName: row.appName,
        dockerImage: row.dockerImage,
        copyOf: volume,
        ...sealSettings(context.vault, 'volume', id, settings, kind.secrets),
      }
      const copy = volumes.newVolume(id, columns, context.now())
      await volumes.insert(tx, copy)
      await tx.updateTable('database').set({ volumeId: id }).where('id', '=', row.id).execute()
      const placed = {
        ...row,
        volumeId: id,
        volumeName: copy.name,
        nodeName: place.hostname,
        nodeAddress: place.address,
      }
      const begun = await beginFromRecord({ ...context, tx, wake, follow }, placed, kind, 'deploy')
      return toRecord({ ...context, db: tx }, begun, kind, false)
    })
  },
  finalAnswer: async (context, { databaseId }) => {
    const row = await selectRows(context.db).where('database.id', '=', databaseId).executeTakeFirstOrThrow()
    return toRecord(context, row, kindNamed(row.kind), false)
  },
})

/** Returns the service. Refuses one that has a volume, or that is being deployed. */
async function findRow(db: Reader, id: string): Promise<Row> {
  const row =
    (await selectRows(db).where('database.id', '=', id).executeTakeFirst()) ??
    refuseField('databaseId', 'No service with this id. database.all lists every service', 'NOT_FOUND')
  if (row.volumeId !== null || row.deploymentId !== null) {
    refuse(
      'CONFLICT',
      `${row.appName} was deployed already, so it has data of its own. Create a new service, and do not deploy it`,
    )
  }
  return row
}

/** Returns the node with the volume. Refuses a volume that is missing, in use, or a volume of an installation of Berth. */
async function findVolume(
  { db, queryEngine }: ActionContext,
  row: Row,
  volume: string,
  requested: string | undefined,
): Promise<FoundNode> {
  const nodes = usableNodes(await queryEngine((engine) => engine.nodes()), {
    node: requested ?? row.node,
    nodeLabel: row.nodeLabel,
  })
  if ('reason' in nodes) refuse('PRECONDITION_FAILED', reasonMessage(nodes), { reason: nodes.reason })
  const holders: { node: FoundNode; use: VolumeUse }[] = []
  for (const node of nodes) {
    const use = await queryEngine((engine) => engine.volumeUse(volume, node.id))
    if (use?.exists === true) holders.push({ node, use })
  }
  const [holder, ...others] = holders
  if (holder === undefined) {
    const searched = nodes.map(({ hostname }) => hostname).join(', ')
    refuseField(
      'volume',
      `No usable node has a volume of this name (${searched}). docker volume ls lists them`,
      'NOT_FOUND',
    )
  }
  if (others.length > 0) {
    const names = holders.map(({ node }) => node.hostname).join(' and ')
    refuseField('node', `${names} have a volume of this name. Choose one`)
  }
  if ((await volumes.findNamed(db, volume)) !== null) {
    refuseField('volume', 'is a volume of this installation. volume.restore creates a service on a kept volume')
  }
  if (holder.use.labels[installationLabel] !== undefined) {
    refuseField('volume', 'belongs to another installation of Berth. Restore a backup of its database instead')
  }
  const users = usersOf(holder.use, row.appName)
  if (users.length > 0) {
    refuse('CONFLICT', `The volume ${volume} is in use by ${listOf(users)}. Stop what uses it, and call this again`)
  }
  return holder.node
}
