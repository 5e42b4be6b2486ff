/** Takes back the volumes of a node that left the swarm and joined again. Shows first what comes back. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Node, Operations } from '../../../client/client.ts'
import { shellLine } from '../../../shared/shell-word.ts'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loading } from '../../components/loaded.tsx'
import { ErrorNotice, Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'

type Preview = Awaited<ReturnType<Operations['cluster']['adoptNode']>>

interface Props {
  node: Node
  /** The id of the lost node. */
  missingNodeId: string
  onClose: () => void
}

export function AdoptionDialog({ node, missingNodeId, onClose }: Props) {
  const preview = useSignal<Preview | null>(null)
  const error = useSignal<unknown>(null)
  const ids = { missingNodeId, nodeId: node.id }
  useEffect(() => {
    const show = (answer: Preview) => (preview.value = answer)
    api.cluster.adoptNode(ids).then(show, (failure: unknown) => (error.value = failure))
  }, [])
  const title = `Take back the volumes on ${node.hostname}`
  if (preview.value === null) {
    return (
      <Dialog title={title} onClose={onClose}>
        {error.value === null ? <Loading what="the marks of the volumes" /> : <ErrorNotice error={error.value} />}
      </Dialog>
    )
  }
  const { volumes, missingHostname } = preview.value
  const input = { ...ids, confirm: node.hostname }
  return (
    <ConfirmDialog
      title={title}
      action="Take them back"
      phrase={node.hostname}
      isDangerous={false}
      onClose={onClose}
      run={() => api.cluster.adoptNode(input)}
    >
      <p>
        The node {missingHostname} (<code>{missingNodeId}</code>) left the swarm. Take its volumes back only if its
        machine is the node {node.hostname} now. Databases that should run then start.
      </p>
      <VolumeList
        title="These come back, with their data:"
        volumes={volumes.filter(({ finding }) => finding === null)}
      />
      <LeftOut volumes={volumes.filter(({ finding }) => finding !== null)} />
      <EqualCalls
        operation="cluster.adoptNode"
        input={input}
        command={shellLine`berth node adopt ${missingNodeId} --node ${node.hostname}`}
      />
    </ConfirmDialog>
  )
}

function LeftOut({ volumes }: { volumes: Preview['volumes'] }) {
  if (volumes.length === 0) return null
  return (
    <Notice tone="warning">
      <VolumeList title="These do not come back:" volumes={volumes} />
    </Notice>
  )
}

function VolumeList({ title, volumes }: { title: string; volumes: Preview['volumes'] }) {
  return (
    <>
      <p>
        <strong>{title}</strong>
      </p>
      <ul class="names">
        {volumes.length === 0 && <li>none</li>}
        {volumes.map(({ volumeId, appName, kind, state, finding }) => (
          <li key={volumeId}>
            {appName} <span class="muted">({state === 'kept' ? 'kept volume' : kind})</span>
            {finding !== null && `: ${finding}`}
          </li>
        ))}
      </ul>
    </>
  )
}
