/** One node: its state, its capacity, what is pinned to it, and its buttons. */
import { Link } from 'wouter-preact'
import type { Node } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { State, type Tone } from '../../components/state.tsx'
import { Duration } from '../../components/time.tsx'
import { bytesText, countText } from '../../data/format.ts'
import { databasePath } from '../../routes.ts'
import type { NodeUse } from './node-use.ts'

export type NodeAction = 'availability' | 'labels' | 'remove'

interface Props {
  node: Node
  /** What the databases use; null: not known yet. */
  use: NodeUse | null
  /** Whether the swarm has no other node. */
  isLast: boolean
  onAction: (action: NodeAction) => void
  /** Opens the dialog that takes back the volumes of a lost node. */
  onAdopt: (missingNodeId: string) => void
}

const stateTones: Record<Node['state'], Tone> = {
  ...{ ready: 'good', down: 'critical', unknown: 'warning', disconnected: 'warning' },
}
const availabilityWords = { active: 'takes new containers', pause: 'paused', drain: 'drained' }

export function NodeCard({ node, use, isLast, onAction, onAdopt }: Props) {
  const { hostname, removal } = node
  return (
    <section class="card" aria-label={`Node ${hostname}`}>
      <div class="card-head">
        <h2>{hostname || node.id}</h2>
        <State tone={stateTones[node.state]}>{node.state}</State>
      </div>
      <div class="tags">
        <span class="tag">{node.role}</span>
        {node.leader && <span class="tag">leads the managers</span>}
        {node.isOwn && <span class="tag">Berth runs here</span>}
        {node.reachable === false && <span class="tag">not reachable by the other managers</span>}
      </div>
      {node.state !== 'ready' && <Lost node={node} />}
      {node.returned.map((lost) => (
        <Returned key={lost.nodeId} lost={lost} onAdopt={() => onAdopt(lost.nodeId)} />
      ))}
      {removal !== null && (
        <Notice tone="working">
          <Progress phase={removal.reason ?? 'The node is being removed'} part={null} />
          <p class="small">
            Removal for <Duration from={removal.startedAt} to={null} />.{' '}
            {removal.force ? 'Data on the node is given up.' : 'No data is given up.'} Goes on when this page is closed.
          </p>
        </Notice>
      )}
      <Facts node={node} use={use} />
      <Pinned node={node} />
      <div class="buttons">
        <Button small onClick={() => onAction('availability')}>
          Change availability
        </Button>
        <Button small onClick={() => onAction('labels')}>
          Edit labels
        </Button>
        <Button small kind="danger" unavailable={stayReason(node, isLast)} onClick={() => onAction('remove')}>
          Remove
        </Button>
      </div>
    </section>
  )
}

function stayReason({ isOwn, removal }: Node, isLast: boolean): string | null {
  if (removal !== null) return 'The node is already being removed'
  if (isLast) return 'This is the only node of the swarm'
  return isOwn ? 'The engine that Berth uses runs on this node, so Berth never removes it' : null
}

/** Another node, which is lost, and whose volumes are here. */
function Returned({ lost, onAdopt }: { lost: Node['returned'][number]; onAdopt: () => void }) {
  return (
    <Notice tone="critical">
      <p>
        <strong>
          {countText(lost.volumes, 'volume')} of the lost node {lost.hostname} {lost.volumes === 1 ? 'is' : 'are'} here.
        </strong>
      </p>
      <p>The machine has probably joined the swarm again with another id.</p>
      <Button small onClick={onAdopt}>
        Take back the volumes …
      </Button>
    </Notice>
  )
}

/** A node that does not answer: since when, and what it affects. */
function Lost({ node }: { node: Node }) {
  const databases = node.pinned.filter(({ type }) => type === 'database').length
  const verb = databases === 1 ? 'is' : 'are'
  const affected = databases === 0 ? 'What is pinned to it is' : `${countText(databases, 'database')} on it ${verb}`
  return (
    <Notice tone={node.state === 'down' ? 'critical' : 'warning'}>
      <p>
        <strong>
          {node.since === null ? (
            `The node is ${node.state}.`
          ) : (
            <>
              The node has been {node.state} for <Duration from={node.since} to={null} />.
            </>
          )}
        </strong>
      </p>
      <p>
        {node.pinned.length === 0
          ? 'Nothing is pinned to it. Other services run on other nodes meanwhile.'
          : `${affected} down until the node is back. Berth starts nothing of it elsewhere, because the data is there.`}
      </p>
    </Notice>
  )
}

function Facts({ node, use }: { node: Node; use: NodeUse | null }) {
  const labels = Object.entries(node.labels)
  return (
    <dl class="facts">
      <dt>New containers</dt>
      <dd>
        {node.state === 'ready' ? (
          <State tone={node.availability === 'active' ? 'good' : 'warning'}>
            {availabilityWords[node.availability]}
          </State>
        ) : (
          <span class="muted">none while the node is {node.state}</span>
        )}
      </dd>
      <dt>Capacity</dt>
      <dd>
        {countText(node.cpuCores, 'core')}, {bytesText(node.memoryBytes)} of memory
      </dd>
      <dt>Databases</dt>
      <dd>{use === null ? '…' : <Use use={use} memoryBytes={node.memoryBytes} />}</dd>
      <dt>Address</dt>
      <dd>
        <code>{node.address}</code>
      </dd>
      <dt>Docker engine</dt>
      <dd>{node.engineVersion}</dd>
      <dt>Labels</dt>
      <dd>
        {labels.length === 0 ? (
          <span class="muted">none</span>
        ) : (
          <span class="tags">
            {labels.map(([name, value]) => (
              <code key={name} class="tag">
                {value === '' ? name : `${name}=${value}`}
              </code>
            ))}
          </span>
        )}
      </dd>
    </dl>
  )
}

const mebibyte = 1024 * 1024

function Use({ use, memoryBytes }: { use: NodeUse; memoryBytes: number }) {
  const reserved = use.reservedMemory * mebibyte
  return (
    <>
      {use.databases}
      {use.databases > 0 && (
        <>
          <meter class="meter" value={Math.min(1, reserved / memoryBytes)} aria-label="Memory reserved for databases" />
          <div class="small muted">
            {reserved === 0 ? 'no memory reserved' : `${bytesText(reserved)} reserved`}
            {use.reservedCores > 0 && `, ${use.reservedCores} cores reserved`}
            {use.maxMemory > 0 && `, limits of ${bytesText(use.maxMemory * mebibyte)} in all`}
            {use.unlimited > 0 && `, ${use.unlimited} without a limit of memory`}
          </div>
        </>
      )}
    </>
  )
}

const typeWords: Record<Node['pinned'][number]['type'], string> = {
  ...{ database: 'database', volume: 'kept volume', registry: 'registry', port: 'published port', proxy: 'proxy' },
}

function Pinned({ node: { pinned } }: { node: Node }) {
  if (pinned.length === 0) return <p class="muted">Nothing is pinned to this node.</p>
  return (
    <details open={pinned.length <= 8}>
      <summary>{countText(pinned.length, 'thing')} pinned here: data and ports that cannot move</summary>
      <ul class="pinned">
        {pinned.map((each) => (
          <li key={`${each.type} ${each.id}`}>
            <PinnedLink pinned={each} /> <span class="muted small">{typeWords[each.type]}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function PinnedLink({ pinned: { type, id, name } }: { pinned: Node['pinned'][number] }) {
  if (type === 'database') return <Link href={databasePath(id)}>{name}</Link>
  if (type === 'volume') return <Link href="/volumes">{name}</Link>
  if (type === 'registry') return <Link href="/registries">{name}</Link>
  return type === 'port' ? <Link href="/applications">{name}</Link> : name
}
