/** berth node adopt: takes back the volumes of a node that left the swarm and joined again. */
import type { Client, Operations } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { findNamed, findNode } from '../../names.ts'
import { perform, type WaitOptions, waitOptions, waitSecondsOf, type Work } from '../../progress.ts'
import { confirmName } from '../../terminal/prompt.ts'

type Node = Awaited<ReturnType<Operations['cluster']['getNodes']>>[number]
type Adoption = Awaited<ReturnType<Operations['cluster']['adoptNode']>>

export const adoptCommand: CommandDeclaration = {
  name: 'adopt',
  description: 'take back the volumes of a node that left the swarm and joined again',
  arguments: [['<lost-node>', 'the id of the node that left, or its host name: berth node ls shows both']],
  options: [
    ['--node <node>', 'the node that has its volumes; without it, the node on which Berth found them'],
    ...waitOptions(),
  ],
  notes: [
    'Shows first which volumes come back. Then it asks for the name of the node; --yes confirms it in scripts.',
    'Also for a swarm that was made anew: docker swarm leave --force, docker swarm init.',
  ],
  examples: ['berth node adopt web-2', 'berth node adopt q6vnz8d3s1x7m2k9w4t5r0y1b --node web-2'],
  run: adopt,
}

async function adopt(
  session: Session,
  options: CommonOptions & WaitOptions & { node?: string },
  lost: string,
): Promise<Outcome> {
  const { output } = session
  const seconds = waitSecondsOf(options)
  const client = session.open(options)
  const { missingNodeId, node } = await findPair(client, lost, options.node)
  const input = { missingNodeId, nodeId: node.id }
  const preview = await client.cluster.adoptNode(input)
  const [found, left] = [preview.volumes.filter(isFound), preview.volumes.filter((volume) => !isFound(volume))]
  for (const { name, appName, finding } of left) output.remark(`Not taken back: ${name} of ${appName}. ${finding}`)
  if (found.length === 0)
    throw new CommandError('failed', `${node.hostname} has none of the volumes. Nothing was changed`)
  const names = found.map(({ appName, state }) => (state === 'kept' ? `the kept volume of ${appName}` : appName))
  const effect = `This takes back on ${node.hostname}: ${names.join(', ')}.`
  await confirmName(effect, node.hostname, options.yes)
  const adoption = await perform(session, workOn(client, node), seconds, (call) =>
    client.cluster.adoptNode({ ...input, confirm: node.hostname }, call),
  )
  return { json: adoption, show: () => output.line(`Took back on ${node.hostname}: ${names.join(', ')}`) }
}

const isFound = ({ finding }: Adoption['volumes'][number]) => finding === null

/** The id of the lost node, and the node that has its volumes. */
async function findPair(client: Client, lost: string, named: string | undefined) {
  const nodes = await client.cluster.getNodes()
  const pairs = nodes.flatMap((node) => node.returned.map((returned) => ({ node, ...returned })))
  if (named === undefined) {
    const { nodeId: missingNodeId, node } = findNamed('lost node', lost, pairs, (pair) => [pair.hostname, pair.nodeId])
    return { missingNodeId, node }
  }
  const node = await findNode(client, named)
  const ofNode = pairs.filter((pair) => pair.node.id === node.id && [pair.hostname, pair.nodeId].includes(lost))
  // Berth may have found nothing on the node. Its answer then says for each volume why.
  return { missingNodeId: ofNode.length === 1 ? ofNode[0]!.nodeId : lost, node }
}

const workOn = (client: Client, { hostname }: Node): Work => ({
  name: `start on ${hostname}`,
  follow: 'berth status',
  async phase(signal) {
    const running = await client.deployment.all({ state: 'running', order: 'desc' }, { signal })
    return running.length === 0 ? '' : `${running.length} in progress`
  },
})
