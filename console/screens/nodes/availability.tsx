/** Changes whether a node takes new containers. Each choice says what it stops. */
import type { Node } from '../../../client/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { PinnedNames } from './pinned-names.tsx'

type Availability = Node['availability']

const choices: { value: Availability; title: string; text: string }[] = [
  {
    value: 'active',
    title: 'Active',
    text: 'The node takes new containers. Databases that were stopped by a drain start again.',
  },
  {
    value: 'pause',
    title: 'Pause',
    text: 'Nothing stops now. No new container starts here, not even in place of one that ends: a database that ends stays down.',
  },
  {
    value: 'drain',
    title: 'Drain',
    text: 'For maintenance, after the work of Berth here. What is pinned stops until the node is active again; the rest moves.',
  },
]
const verbs: Record<Availability, string> = { active: 'activate', pause: 'pause', drain: 'drain' }

export function AvailabilityDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const form = useForm<{ availability: Availability; force: boolean }>({
    ...{ availability: node.availability, force: false },
  })
  const { availability, force } = form.fields
  const applications = useQuery('application.all', {})
  const hosts = node.isOwn ? (applications.data.value ?? []).flatMap(({ servedHosts }) => servedHosts) : []
  // A drain of Berth's own node also ends work in progress, which needs a confirmation too.
  const stops = availability.value === 'drain' && (node.pinned.length > 0 || node.isOwn)
  const input = { nodeId: node.id, availability: availability.value, ...(stops && force.value ? { force: true } : {}) }
  const unavailable =
    availability.value === node.availability && node.drain === null
      ? `The node is already ${node.availability === 'active' ? 'active' : `in ${node.availability}`}`
      : stops && !force.value
        ? 'Confirm that what is listed below stops'
        : null
  const command = `berth node ${verbs[availability.value]} ${node.hostname}${input.force ? ' --force' : ''}`
  return (
    <Dialog title={`Availability of ${node.hostname}`} onClose={onClose}>
      <FormBox
        form={form}
        submit={`${availability.value[0]!.toUpperCase()}${verbs[availability.value].slice(1)} the node`}
        kind={availability.value === 'drain' ? 'danger' : 'primary'}
        unavailable={unavailable}
        onSubmit={() => api.cluster.updateNode(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        <Choices field={availability} now={node.availability} />
        {stops && (
          <>
            <Notice tone="warning">
              <p>
                <strong>These stop and stay stopped until the node is active again:</strong>
              </p>
              <PinnedNames pinned={node.pinned} />
              {node.isOwn && <EndedRoutes hosts={hosts} />}
            </Notice>
            <CheckField field={force} label="Stop them" />
          </>
        )}
        <EqualCalls operation="cluster.updateNode" input={input} command={command} />
      </FormBox>
    </Dialog>
  )
}

const maxHosts = 12

/** What else a drain of Berth's own node ends: the proxy serves these hosts, and Berth's own work does not wait. */
function EndedRoutes({ hosts }: { hosts: string[] }) {
  const more = hosts.length - maxHosts
  return (
    <>
      {hosts.length > 0 && (
        <p>
          The proxy of applications runs here. These hosts are not served any more:{' '}
          {hosts.slice(0, maxHosts).join(', ')}
          {more > 0 && ` and ${more} more`}.
        </p>
      )}
      <p>Dumps, restores and moves of databases on this node fail, because Berth runs here.</p>
    </>
  )
}

/** The availabilities, each with what it stops. */
function Choices({ field, now }: { field: { value: Availability }; now: Availability }) {
  return (
    <fieldset class="option-list">
      <legend class="label">What the node does</legend>
      {choices.map(({ value, title, text }) => (
        <label key={value} class="option">
          <input
            type="radio"
            name="availability"
            checked={field.value === value}
            onChange={() => (field.value = value)}
          />
          <span>
            <strong>{title}</strong>
            {value === now && <span class="tag">now</span>}
            <span class="hint">{text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
