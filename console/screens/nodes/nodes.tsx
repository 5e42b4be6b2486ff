/** Nodes: the machines of the swarm, what each carries, and what can be done with it. */
import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { countText } from '../../data/format.ts'
import { useQuery } from '../../data/live/query.ts'
import { AdoptionDialog } from './adoption.tsx'
import { AvailabilityDialog } from './availability.tsx'
import { JoinDialog } from './join.tsx'
import { LabelsDialog } from './labels.tsx'
import { NodeCard, type NodeAction } from './node-card.tsx'
import { resourcesById, useOfNode } from './node-use.ts'
import { RemovalDialog } from './removal.tsx'

/** Labels and capacity have no events. In milliseconds. */
const rereadMs = 5000

export default function Nodes() {
  const nodes = useQuery('cluster.getNodes', {}, { everyMs: rereadMs })
  const projects = useQuery('project.all', {})
  const isJoining = useSignal(false)
  const opened = useSignal<{ nodeId: string; action: NodeAction } | null>(null)
  const adopted = useSignal<{ nodeId: string; missingNodeId: string } | null>(null)
  const close = () => {
    opened.value = null
    adopted.value = null
    void nodes.reload()
  }
  const resources = projects.data.value === undefined ? null : resourcesById(projects.data.value)
  const node = nodes.data.value?.find(({ id }) => id === opened.value?.nodeId)
  const hasFound = ({ returned }: { returned: { nodeId: string }[] }) =>
    returned.some(({ nodeId }) => nodeId === node?.id)
  const foundOn = nodes.data.value?.find(hasFound)?.hostname ?? null
  const adopting = nodes.data.value?.find(({ id }) => id === adopted.value?.nodeId)
  return (
    <Page
      title="Nodes"
      sub="The machines of the swarm. The data of a database stays on its node: databases never move by themselves."
      actions={
        <Button kind="primary" onClick={() => (isJoining.value = true)}>
          Add a node
        </Button>
      }
    >
      <Loaded query={nodes} what="the nodes">
        {(all) => (
          <>
            <Managers managers={all.filter(({ role }) => role === 'manager')} />
            <div class="columns nodes">
              {all.map((each) => (
                <NodeCard
                  key={each.id}
                  node={each}
                  use={resources === null ? null : useOfNode(each.pinned, resources)}
                  isLast={all.length === 1}
                  onAction={(action) => (opened.value = { nodeId: each.id, action })}
                  onAdopt={(missingNodeId) => (adopted.value = { nodeId: each.id, missingNodeId })}
                />
              ))}
            </div>
          </>
        )}
      </Loaded>
      {isJoining.value && <JoinDialog onClose={() => (isJoining.value = false)} />}
      {node !== undefined && opened.value?.action === 'availability' && (
        <AvailabilityDialog node={node} onClose={close} />
      )}
      {node !== undefined && opened.value?.action === 'labels' && <LabelsDialog node={node} onClose={close} />}
      {adopting !== undefined && adopted.value !== null && (
        <AdoptionDialog node={adopting} missingNodeId={adopted.value.missingNodeId} onClose={close} />
      )}
      {node !== undefined && opened.value?.action === 'remove' && (
        <RemovalDialog node={node} foundOn={foundOn} onClose={close} />
      )}
    </Page>
  )
}

/** More than half of the managers have to be reachable; otherwise nothing on the swarm can be changed. */
function Managers({ managers }: { managers: readonly { state: string; reachable: boolean | null }[] }) {
  const reachable = managers.filter((each) => each.state === 'ready' && each.reachable !== false).length
  const needed = Math.floor(managers.length / 2) + 1
  const demand = `${needed} ${needed === 1 ? 'has' : 'have'} to be`
  const text = `${countText(managers.length, 'manager')}, ${reachable} reachable; ${demand}.`
  if (reachable === managers.length && managers.length > 1 && managers.length % 2 === 1) return <p>{text}</p>
  return (
    <Notice tone={reachable < managers.length ? 'warning' : 'neutral'}>
      <p>{text}</p>
      <p class="muted">
        Managers decide what runs where; more than half of them have to be reachable.{' '}
        {managers.length < 3
          ? 'With three managers the swarm survives the loss of one.'
          : 'Use three or five managers.'}
      </p>
    </Notice>
  )
}
