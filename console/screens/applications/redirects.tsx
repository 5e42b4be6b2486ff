/** The redirects of an application. */
import { useSignal } from '@preact/signals'
import type { Redirects } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { api } from '../../data/api.ts'
import { type Form, useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { Applied } from './applied.tsx'
import { useRuleForm } from './edit-rule.ts'
import { RedirectTester } from './tester.tsx'
import { shellLine } from '../../../shared/shell-word.ts'

type Values = Pick<Redirects, 'regex' | 'replacement' | 'permanent'>

const columns: readonly Column<Redirects>[] = [
  { title: 'Pattern', cell: ({ regex }) => <code>{regex}</code> },
  { title: 'Leads to', cell: ({ replacement }) => <code>{replacement}</code> },
  { title: 'Status', cell: ({ permanent }) => (permanent ? 'permanent (301, 308)' : 'temporary (302, 307)') },
  { title: 'State', cell: (redirect) => <Applied rule={redirect} /> },
]

export function RedirectList({ redirects, isLoose = false }: { redirects: Redirects[]; isLoose?: boolean }) {
  const edited = useSignal<string | null>(null)
  const removed = useSignal<Redirects | null>(null)
  return (
    <>
      <Table
        caption="Redirects in their order"
        columns={isLoose ? [{ title: 'Redirect of', cell: ({ applicationId }) => applicationId }, ...columns] : columns}
        rows={redirects}
        rowKey={({ redirectId }) => redirectId}
        actions={(redirect) => (
          <span class="buttons">
            <Button small onClick={() => (edited.value = redirect.redirectId)}>
              Edit
            </Button>
            <Button small kind="danger" onClick={() => (removed.value = redirect)}>
              Remove
            </Button>
          </span>
        )}
      />
      {edited.value !== null && <EditRedirect redirectId={edited.value} onClose={() => (edited.value = null)} />}
      {removed.value !== null && <RemoveRedirect redirect={removed.value} onClose={() => (removed.value = null)} />}
    </>
  )
}

export function RedirectDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const form = useForm<Values>({ regex: '', replacement: '', permanent: false })
  const { regex, replacement, permanent } = form.fields
  const input = { ...{ applicationId, regex: regex.value, replacement: replacement.value, permanent: permanent.value } }
  return (
    <Dialog title="Add a redirect" onClose={onClose}>
      <FormBox
        form={form}
        submit="Add the redirect"
        onSubmit={() => api.redirects.create(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        <Fields form={form} />
        <EqualCalls operation="redirects.create" input={input} />
      </FormBox>
      <TestUnsaved form={form} applicationId={applicationId} />
    </Dialog>
  )
}

function EditRedirect({ redirectId, onClose }: { redirectId: string; onClose: () => void }) {
  const record = useQuery('redirects.one', { redirectId })
  return (
    <Dialog title="Edit the redirect" onClose={onClose}>
      <Loaded query={record} what="the redirect">
        {(redirect) => <EditForm redirect={redirect} etag={record.etag.value ?? ''} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

const valuesOf = ({ regex, replacement, permanent }: Redirects): Values => ({ regex, replacement, permanent })

function EditForm({ redirect, etag, onClose }: { redirect: Redirects; etag: string; onClose: () => void }) {
  const { redirectId, applicationId } = redirect
  const form = useRuleForm(redirect, etag, valuesOf, (options) => api.redirects.one({ redirectId }, options))
  const { regex, replacement, permanent } = form.fields
  const input = { redirectId, regex: regex.value, replacement: replacement.value, permanent: permanent.value }
  const save = () => form.save((_, headers) => api.redirects.update(input, { headers }))
  return (
    <>
      <Conflicts form={form} labels={{ regex: 'Pattern', replacement: 'Leads to', permanent: 'Permanent' }} />
      <FormBox
        form={{ ...form, submit: save }}
        submit="Save the redirect"
        unavailable={form.changed.value.length === 0 ? 'Nothing has changed' : null}
        onSubmit={save}
        onDone={onClose}
        onCancel={onClose}
      >
        <Fields form={form} />
        <EqualCalls operation="redirects.update" input={input} />
      </FormBox>
      <TestUnsaved form={form} applicationId={applicationId} redirectId={redirectId} />
    </>
  )
}

function Fields({ form: { fields, issues } }: { form: Form<Values> }) {
  return (
    <>
      <TextField
        field={fields.regex}
        label="Pattern"
        placeholder="/old/(.*)"
        hint="A regular expression (RE2: no lookahead) that is found in the whole URL, https://host/path?query"
        isCode
        issue={issues.value.regex}
      />
      <TextField
        field={fields.replacement}
        label="Leads to"
        placeholder="/new/$1"
        hint="A URL or a path. $1 and ${name} stand for the groups in the pattern, $$ for a dollar."
        isCode
        issue={issues.value.replacement}
      />
      <CheckField
        field={fields.permanent}
        label="Permanent"
        hint="Browsers remember a permanent redirect, and do not ask again for a long time."
        issue={issues.value.permanent}
      />
    </>
  )
}

function TestUnsaved(props: { form: Form<Values>; applicationId: string; redirectId?: string }) {
  const { form, applicationId, redirectId } = props
  const { regex, replacement, permanent } = form.fields
  const rule = { regex: regex.value, replacement: replacement.value, permanent: permanent.value }
  if (rule.regex === '') return null
  return (
    <section class="stack">
      <h3>Test it before you save</h3>
      <RedirectTester
        applicationId={applicationId}
        unsaved={redirectId === undefined ? rule : { ...rule, redirectId }}
      />
    </section>
  )
}

function RemoveRedirect({ redirect, onClose }: { redirect: Redirects; onClose: () => void }) {
  const { redirectId, regex, replacement, permanent } = redirect
  return (
    <ConfirmDialog
      title="Remove the redirect"
      action="Remove the redirect"
      phrase={null}
      onClose={onClose}
      run={() => api.redirects.delete({ redirectId })}
    >
      <p>
        <code>{regex}</code> no longer leads to <code>{replacement}</code>. The application gets these requests, or a
        later redirect.
      </p>
      {permanent && <p>Browsers that have seen this permanent redirect may follow it for some time.</p>}
      <EqualCalls
        operation="redirects.delete"
        input={{ redirectId }}
        command={shellLine`berth route rm ${redirectId}`}
      />
    </ConfirmDialog>
  )
}
