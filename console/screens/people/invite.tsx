/** Invites a person. The link with the secret is shown once. */
import { useSignal } from '@preact/signals'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { type Membership, ProjectRoles } from '../../components/forms/project-roles.tsx'
import { Notice } from '../../components/notice.tsx'
import { ShownOnce } from '../../components/secrets/shown-once.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { invitationLink } from '../../data/invitation-link.ts'
import { type Rol, roleChoices, roleTexts } from './roles.ts'

type Answer = Awaited<ReturnType<typeof api.user.invite>>

export function Invite({ onClose }: { onClose: () => void }) {
  const form = useForm({ email: '', rol: 'user', isLimited: false, projects: [] as readonly Membership[] })
  const answer = useSignal<Answer | null>(null)
  const { fields, issues } = form
  if (answer.value !== null) return <Invited invitation={answer.value} onClose={onClose} />
  const rol = fields.rol.value as Rol
  const isLimited = rol === 'user' && fields.isLimited.value
  const input = {
    email: fields.email.value,
    rol,
    ...(isLimited ? { projects: fields.projects.value.map((each) => ({ ...each })) } : {}),
  }
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <FormBox
        form={form}
        submit="Make the invitation"
        onCancel={onClose}
        onSubmit={async () => {
          answer.value = await api.user.invite(input)
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
        {rol === 'user' && (
          <CheckField
            field={fields.isLimited}
            label="Only some projects"
            hint="Otherwise the account reaches all projects, and what belongs to none: routing, certificates, registries."
          />
        )}
        {isLimited && <ProjectRoles field={fields.projects} issue={issues.value.projects} />}
      </FormBox>
      <EqualCalls
        operation="user.invite"
        input={input}
        {...(isLimited
          ? {}
          : { command: `berth user invite ${fields.email.value || 'EMAIL'}${rol === 'admin' ? ' --admin' : ''}` })}
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
        <ShownOnce what="the command" text={`berth login ${location.origin} --invitation ${invitation.id}`} />
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
