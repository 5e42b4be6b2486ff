/** Removes a node. First without force; data on it can only be given up by typing the node's name. */
import type { Node } from '../../../client/client.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { PinnedNames } from './pinned-names.tsx'
import { shellLine } from '../../../shared/shell-word.ts'

const dataTypes = new Set(['database', 'volume', 'registry'])

interface Props {
  node: Node
  /** The host name of another node that has volumes of this one; null if there is none. */
  foundOn: string | null
  onClose: () => void
}

export function RemovalDialog({ node, foundOn, onClose }: Props) {
  const lost = node.pinned.filter(({ type }) => dataTypes.has(type))
  const force = lost.length > 0
  const input = { nodeId: node.id, ...(force ? { force } : {}) }
  return (
    <ConfirmDialog
      title={`Remove the node ${node.hostname}`}
      action={force ? 'Remove the node and lose the data' : 'Remove the node'}
      phrase={force ? node.hostname : null}
      onClose={onClose}
      run={() => api.cluster.removeWorker(input)}
    >
      {force ? (
        <Notice tone="critical">
          <p>
            <strong>The data of these is lost for good:</strong>
          </p>
          <PinnedNames pinned={lost} />
          {foundOn !== null && (
            <p>Volumes of this node were found on the node {foundOn}. After the removal, take them back there.</p>
          )}
          <p>
            To keep it, first move each database to another node: follow its name to its tab Danger. Or restore its
            backup there.
          </p>
        </Notice>
      ) : (
        <p>No data is on this node, so nothing is lost. If data appears on it meanwhile, Berth refuses the removal.</p>
      )}
      <p>
        Berth drains the node, waits until no service runs on it, and takes it out of the swarm. If this does not
        succeed within ten minutes, the node becomes as it was. The progress is shown in the list of nodes.
      </p>
      <p>
        Afterwards run <code>docker swarm leave</code> on the machine.
      </p>
      <EqualCalls
        operation="cluster.removeWorker"
        input={input}
        command={shellLine`berth node rm ${node.hostname}${force ? ['--force'] : []}`}
      />
    </ConfirmDialog>
  )
}
