/** The members of a project: who reaches it, with which role. */
import { useSignal } from '@preact/signals'
import type { Project } from '../../../client/client.ts'
import type { ProjectMembers as Member } from '../../../client/operations.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { projectRoleChoices, projectRoleTexts } from '../../data/access/rights.ts'
import type { ProjectRole } from '../../data/access/role.ts'
import { shellWord } from '../../data/forms/shell-word.ts'

const columns: Column<Member>[] = [
  { title: 'E-mail', cell: ({ email }) => email },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'May', cell: ({ role }) => <span class="muted">{projectRoleTexts[role]}</span> },
  { title: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

interface Asked {
  what: 'change' | 'remove'
  member: Member
}

/** @param why why the person cannot change the members; null: the person can */
export function Members({ project, why }: { project: Project; why: string | null }) {
  const { projectId } = project
  const members = useQuery('project.members', { projectId }, { kinds: ['member', 'account'] })
  const isAdding = useSignal(false)
  const asked = useSignal<Asked | null>(null)
  const close = () => {
    isAdding.value = false
    asked.value = null
    void members.reload()
  }
  const add = (
    <Button unavailable={why} onClick={() => (isAdding.value = true)}>
      Add a member
    </Button>
  )
  return (
    <section class="stack">
      <div class="card-head">
        <h2>Members</h2>
        {(members.data.value ?? []).length > 0 && add}
      </div>
      <Loaded query={members} what="the members">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No members" action={add}>
              Accounts that reach all projects use this one without being members. Make an account a member to give it
              this project only.
            </Empty>
          ) : (
            <Table
              caption="Members of the project"
              columns={columns}
              rows={rows}
              rowKey={({ accountId }) => accountId}
              actions={(member) => (
                <div class="buttons">
                  <Button small unavailable={why} onClick={() => (asked.value = { what: 'change', member })}>
                    Change the role
                  </Button>
                  <Button small unavailable={why} onClick={() => (asked.value = { what: 'remove', member })}>
                    Remove
                  </Button>
                </div>
              )}
            />
          )
        }
      </Loaded>
      {isAdding.value && <Add project={project} onClose={close} />}
      {asked.value?.what === 'change' && <Change project={project} member={asked.value.member} onClose={close} />}
      {asked.value?.what === 'remove' && <Remove project={project} member={asked.value.member} onClose={close} />}
    </section>
  )
}

function Add({ project: { projectId, name }, onClose }: { project: Project; onClose: () => void }) {
  const form = useForm({ email: '', role: 'viewer' })
  const { fields, issues } = form
  const role = fields.role.value as ProjectRole
  const email = fields.email.value
  return (
    <Dialog title={`Add a member to ${name}`} onClose={onClose}>
      <FormBox
        form={form}
        submit="Add the member"
        onSubmit={() => api.project.addMember({ projectId, email, role })}
        onDone={onClose}
        onCancel={onClose}
      >
        <TextField
          field={fields.email}
          label="E-mail"
          type="email"
          hint="Of an account that exists. An administrator can invite a new person to the project."
          autoComplete="off"
          issue={issues.value.email}
        />
        <RoleField form={form} />
      </FormBox>
      <EqualCalls
        operation="project.addMember"
        input={{ projectId, email, role }}
        command={`berth project add-member ${shellWord(name)} ${email || 'EMAIL'} --role ${role}`}
      />
    </Dialog>
  )
}

type RoleForm = Pick<ReturnType<typeof useForm<{ role: string }>>, 'issues'> & {
  fields: Pick<ReturnType<typeof useForm<{ role: string }>>['fields'], 'role'>
}

const RoleField = ({ form: { fields, issues } }: { form: RoleForm }) => (
  <SelectField
    field={fields.role}
    label="Role"
    choices={projectRoleChoices}
    hint={`A ${fields.role.value} ${projectRoleTexts[fields.role.value as ProjectRole]}`}
    issue={issues.value.role}
  />
)

interface MemberProps {
  project: Project
  member: Member
  onClose: () => void
}

function Change({ project: { projectId, name }, member: { accountId, email, role: present }, onClose }: MemberProps) {
  const form = useForm({ role: present as string })
  const role = form.fields.role.value as ProjectRole
  return (
    <Dialog title={`The role of ${email} in ${name}`} onClose={onClose}>
      <FormBox
        form={form}
        submit="Change the role"
        unavailable={role === present ? 'This is the present role' : null}
        onSubmit={() => api.project.updateMember({ projectId, accountId, role })}
        onDone={onClose}
        onCancel={onClose}
      >
        <RoleField form={form} />
      </FormBox>
      <EqualCalls
        operation="project.updateMember"
        input={{ projectId, accountId, role }}
        command={`berth project set-role ${shellWord(name)} ${email} --role ${role}`}
      />
    </Dialog>
  )
}

const Remove = ({ project: { projectId, name }, member: { accountId, email }, onClose }: MemberProps) => (
  <ConfirmDialog
    title={`Remove ${email} from ${name}?`}
    action="Remove the member"
    phrase={null}
    onClose={onClose}
    run={() => api.project.removeMember({ projectId, accountId })}
  >
    <p>
      An account that does not reach all projects no longer sees this one. Its terminals in the project end within
      seconds. The account stays.
    </p>
    <EqualCalls
      operation="project.removeMember"
      input={{ projectId, accountId }}
      command={`berth project rm-member ${shellWord(name)} ${email}`}
    />
  </ConfirmDialog>
)
