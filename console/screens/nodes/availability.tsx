/** Changes whether a node takes new containers. Each choice says what it stops. */
import type { Node } from '../../../client/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { PinnedNames } from './pinned-names.tsx'
import { shellLine } from '../../../shared/shell-word.ts'

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
    text: 'For maintenance. Services that can move go to other nodes. What is pinned here stops until the node is active again.',
  },
]
const verbs: Record<Availability, string> = { active: 'activate', pause: 'pause', drain: 'drain' }

export function AvailabilityDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const form = useForm<{ availability: Availability; force: boolean }>({
    ...{ availability: node.availability, force: false },
  })
  const { availability, force } = form.fields
  const stops = availability.value === 'drain' && node.pinned.length > 0
  const input = { nodeId: node.id, availability: availability.value, ...(stops && force.value ? { force: true } : {}) }
  const unavailable =
    availability.value === node.availability
      ? `The node is already ${node.availability === 'active' ? 'active' : `in ${node.availability}`}`
      : stops && !force.value
        ? 'Confirm that the databases and ports below stop'
        : null
  const command = shellLine`berth node${[verbs[availability.value]]} ${node.hostname}${input.force ? ['--force'] : []}`
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
        <fieldset class="option-list">
          <legend class="label">What the node does</legend>
          {choices.map(({ value, title, text }) => (
            <label key={value} class="option">
              <input
                type="radio"
                name="availability"
                checked={availability.value === value}
                onChange={() => (availability.value = value)}
              />
              <span>
                <strong>{title}</strong>
                {value === node.availability && <span class="tag">now</span>}
                <span class="hint">{text}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {stops && (
          <>
            <Notice tone="warning">
              <p>
                <strong>These stop and stay stopped until the node is active again:</strong>
              </p>
              <PinnedNames pinned={node.pinned} />
            </Notice>
            <CheckField field={force} label="Stop them" />
          </>
        )}
        <EqualCalls operation="cluster.updateNode" input={input} command={command} />
      </FormBox>
    </Dialog>
  )
}
