/** The users of basic auth of an application. */
import { useSignal } from '@preact/signals'
import type { Security } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { PasswordField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { type Form, useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { Applied } from './applied.tsx'
import { useRuleForm } from './edit-rule.ts'
import { shellLine } from '../../../shared/shell-word.ts'

interface Values {
  username: string
  password: string
}

const mask = '********'
const columns: readonly Column<Security>[] = [
  { title: 'User', cell: ({ username }) => username },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'State', cell: (user) => <Applied rule={user} /> },
]

export function UserList({ users, isLoose = false }: { users: Security[]; isLoose?: boolean }) {
  const edited = useSignal<string | null>(null)
  const removed = useSignal<Security | null>(null)
  return (
    <>
      <Table
        caption="Users of basic auth"
        columns={isLoose ? [{ title: 'User of', cell: ({ applicationId }) => applicationId }, ...columns] : columns}
        rows={users}
        rowKey={({ securityId }) => securityId}
        actions={(user) => (
          <span class="buttons">
            <Button small onClick={() => (edited.value = user.securityId)}>
              Edit
            </Button>
            <Button small kind="danger" onClick={() => (removed.value = user)}>
              Remove
            </Button>
          </span>
        )}
      />
      {edited.value !== null && <EditUser securityId={edited.value} onClose={() => (edited.value = null)} />}
      {removed.value !== null && (
        <RemoveUser user={removed.value} isLast={users.length === 1} onClose={() => (removed.value = null)} />
      )}
    </>
  )
}

export function UserDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const form = useForm<Values>({ username: '', password: '' })
  const input = { applicationId, username: form.fields.username.value, password: form.fields.password.value }
  const command = shellLine`berth route protect ${applicationId} ${input.username || 'NAME'}`
  return (
    <Dialog title="Add a user of basic auth" onClose={onClose}>
      <FormBox
        form={form}
        submit="Add the user"
        onSubmit={() => api.security.create(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        <p>From then on the proxy asks everybody who opens the application for a name and a password.</p>
        <Fields form={form} isNew />
        <EqualCalls operation="security.create" input={input} command={command} />
      </FormBox>
    </Dialog>
  )
}

function EditUser({ securityId, onClose }: { securityId: string; onClose: () => void }) {
  const record = useQuery('security.one', { securityId })
  return (
    <Dialog title="Edit the user" onClose={onClose}>
      <Loaded query={record} what="the user">
        {(user) => <EditForm user={user} etag={record.etag.value ?? ''} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

const valuesOf = ({ username }: Security): Values => ({ username, password: '' })

function EditForm({ user, etag, onClose }: { user: Security; etag: string; onClose: () => void }) {
  const { securityId } = user
  const form = useRuleForm(user, etag, valuesOf, (options) => api.security.one({ securityId }, options))
  const { username, password } = form.fields
  const input = { securityId, username: username.value, password: password.value || mask }
  const save = () => form.save((_, headers) => api.security.update(input, { headers }))
  return (
    <>
      <Conflicts form={form} labels={{ username: 'Name', password: 'Password' }} />
      <FormBox
        form={{ ...form, submit: save }}
        submit="Save the user"
        unavailable={form.changed.value.length === 0 ? 'Nothing has changed' : null}
        onSubmit={save}
        onDone={onClose}
        onCancel={onClose}
      >
        <Fields form={form} />
        <EqualCalls operation="security.update" input={input} />
      </FormBox>
    </>
  )
}

function Fields({ form: { fields, issues }, isNew = false }: { form: Form<Values>; isNew?: boolean }) {
  return (
    <>
      <TextField field={fields.username} label="Name" autoComplete="off" issue={issues.value.username} />
      <PasswordField
        field={fields.password}
        label="Password"
        hint={isNew ? 'At most 72 bytes' : 'Empty: the stored one stays'}
        required={isNew}
        autoComplete="new-password"
        issue={issues.value.password}
      />
    </>
  )
}

function RemoveUser({ user, isLast, onClose }: { user: Security; isLast: boolean; onClose: () => void }) {
  const { securityId, username } = user
  return (
    <ConfirmDialog
      title={`Remove the user ${username}`}
      action="Remove the user"
      phrase={null}
      onClose={onClose}
      run={() => api.security.delete({ securityId })}
    >
      <p>
        {isLast
          ? 'This is the last user: everybody can open the application then, without a password.'
          : `${username} can no longer open the application. The other users can.`}
      </p>
      <EqualCalls
        operation="security.delete"
        input={{ securityId }}
        command={shellLine`berth route rm ${securityId}`}
      />
    </ConfirmDialog>
  )
}
