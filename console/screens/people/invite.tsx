/** Invites a person. The link with the secret is shown once. */
import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { ShownOnce } from '../../components/secrets/shown-once.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { invitationLink } from '../../data/invitation-link.ts'
import { withProof } from '../../data/forms/proof.ts'
import { type Rol, roleChoices, roleTexts } from './roles.ts'
import { shellLine } from '../../../shared/shell-word.ts'

type Answer = Awaited<ReturnType<typeof api.user.invite>>

export function Invite({ onClose }: { onClose: () => void }) {
  const form = useForm({ email: '', rol: 'user' })
  const answer = useSignal<Answer | null>(null)
  const { fields, issues } = form
  if (answer.value !== null) return <Invited invitation={answer.value} onClose={onClose} />
  const rol = fields.rol.value as Rol
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <FormBox
        form={form}
        submit="Make the invitation"
        onCancel={onClose}
        onSubmit={async ({ email }) => {
          answer.value = await withProof((proof) => api.user.invite({ email, rol, ...proof }))
        }}
      >
        <TextField
          field={fields.email}
          label="E-mail"
          type="email"
          hint="The person signs in with it. Berth sends no mail: you pass the link on."
          autoComplete="off"
          issue={issues.value.email}
        />
        <SelectField
          field={fields.rol}
          label="Role"
          choices={roleChoices}
          hint={`May use ${roleTexts[rol]}`}
          issue={issues.value.rol}
        />
      </FormBox>
      <EqualCalls
        operation="user.invite"
        input={{ email: fields.email.value, rol }}
        command={shellLine`berth user invite ${fields.email.value || 'EMAIL'}${rol === 'admin' ? ['--admin'] : []}`}
      />
    </Dialog>
  )
}

const Invited = ({ invitation, onClose }: { invitation: Answer; onClose: () => void }) => (
  <Dialog title={`The invitation of ${invitation.email}`} onClose={onClose} isRequired>
    <Notice tone="warning" announce>
      <p>
        Send this link to {invitation.email} only. Whoever has it can create the account. It works once and expires{' '}
        <Time at={invitation.expiresAt} />. Berth shows it only now.
      </p>
    </Notice>
    <ShownOnce what="the link" text={invitationLink(location.origin, invitation)} />
    <details>
      <summary>For the command line</summary>
      <div class="stack">
        <p>The person runs this command, and pastes the token when the command asks for it.</p>
        <ShownOnce what="the command" text={shellLine`berth login ${location.origin} --invitation ${invitation.id}`} />
        <ShownOnce what="the token" text={invitation.token} />
      </div>
    </details>
    <div>
      <Button kind="primary" onClick={onClose}>
        I have passed the link on
      </Button>
    </div>
  </Dialog>
)
