/** Adds a machine to the swarm: the command for it, and new tokens. */
import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { SelectField } from '../../components/forms/fields.tsx'
import { Notice } from '../../components/notice.tsx'
import { Secret } from '../../components/secrets/secret.tsx'
import { api } from '../../data/api.ts'

type Role = 'worker' | 'manager'

const roles = [
  { value: 'worker', text: 'Worker: only runs containers' },
  { value: 'manager', text: 'Manager: also decides what runs where' },
]

export function JoinDialog({ onClose }: { onClose: () => void }) {
  const role = useSignal<string>('worker')
  const isRotating = useSignal(false)
  /** Whose token was replaced while the dialog is open. */
  const rotated = useSignal<Role | null>(null)
  const chosen = role.value as Role
  const operation = chosen === 'worker' ? 'cluster.addWorker' : 'cluster.addManager'
  const read = chosen === 'worker' ? api.cluster.addWorker : api.cluster.addManager
  const command = chosen === 'worker' ? 'berth node join' : 'berth node join --manager'
  if (isRotating.value) {
    return (
      <RotateDialog role={chosen} onClose={() => (isRotating.value = false)} onDone={() => (rotated.value = chosen)} />
    )
  }
  return (
    <Dialog title="Add a node" onClose={onClose}>
      <ol class="steps">
        <li>Install Docker on the machine, in the version of this swarm or a newer one.</li>
        <li>
          The nodes have to reach each other on TCP 2377, TCP and UDP 7946, and UDP 4789. Berth calls the other nodes on
          TCP 2376.
        </li>
        <li>Run the command below on the machine. The node appears in the list a moment later.</li>
      </ol>
      <SelectField field={role} label="Role of the new node" choices={roles} />
      {chosen === 'manager' && (
        <Notice>
          <p>Use three or five managers: more than half of them have to be reachable, or nothing can be changed.</p>
        </Notice>
      )}
      {rotated.value === chosen && (
        <Notice tone="good" announce>
          <p>The token was replaced. Commands with the earlier one no longer work.</p>
        </Notice>
      )}
      <Secret
        key={chosen}
        what="the join command"
        masked="docker swarm join --token ********"
        read={async () => (await read()).command}
      />
      <p class="hint">
        Whoever has the token can join the swarm, so keep the command secret. The audit log records who has seen it.
      </p>
      <EqualCalls operation={operation} input={{}} command={command} />
      <div class="buttons">
        <Button onClick={() => (isRotating.value = true)}>Replace the token …</Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

function RotateDialog({ role, onClose, onDone }: { role: Role; onClose: () => void; onDone: () => void }) {
  const command = `berth node join${role === 'manager' ? ' --manager' : ''} --new-token`
  return (
    <ConfirmDialog
      title={`Replace the token for ${role}s`}
      action="Replace the token"
      phrase={null}
      onClose={onClose}
      run={async () => {
        await api.cluster.rotateTokens({ role })
        onDone()
      }}
    >
      <p>The present join command for {role}s stops working at once. Nodes that have joined stay in the swarm.</p>
      <p>Do this when the command may have been seen by somebody who should not add machines.</p>
      <EqualCalls operation="cluster.rotateTokens" input={{ role }} command={command} />
    </ConfirmDialog>
  )
}
