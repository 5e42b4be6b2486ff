/** The environment variables of a database. They are saved apart from the other settings. */
import { useSignal } from '@preact/signals'
import { Conflicts } from '../../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { TextField } from '../../../components/forms/fields.tsx'
import { FormBox } from '../../../components/forms/form.tsx'
import { Notice } from '../../../components/notice.tsx'
import { countText } from '../../../data/format.ts'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import { useRecordForm } from '../../../data/forms/record-form.ts'
import { readDatabase, type TabProps } from '../view.ts'
import { checkEnv } from './env-lines.ts'
import { shellLine } from '../../../../shared/shell-word.ts'

export function EnvironmentForm({ kind, databaseId, record, etag, path }: TabProps) {
  const isSaved = useSignal(false)
  const form = useRecordForm({ values: { env: record.env ?? '' }, etag: etag.value ?? '' }, async () => {
    const present = await readDatabase(kind, databaseId)
    return { values: { env: present.record.env ?? '' }, etag: present.etag }
  })
  const text = form.fields.env.value
  const { names, fault } = checkEnv(text)
  const hasChanged = form.changed.value.length > 0
  const env = text.trim() === '' ? null : text
  const save = () => form.save((_, headers) => callDatabase(kind, 'saveEnvironment', databaseId, { env }, headers))
  return (
    <section class="card" aria-labelledby="environment">
      <h2 id="environment">Environment variables</h2>
      <p>
        The container gets these variables with the next deploy, which restarts the server. Everybody who can read the
        database can read them, so passwords of other systems do not belong here.
      </p>
      <FormBox
        form={{ ...form, submit: save }}
        submit="Save the variables"
        unavailable={hasChanged ? fault : 'Nothing was changed'}
        onSubmit={save}
        onDone={() => (isSaved.value = true)}
        {...(hasChanged ? { onCancel: () => form.reset(form.initial.value) } : {})}
      >
        <TextField
          field={form.fields.env}
          label="Variables"
          required={false}
          isLong
          isCode
          placeholder="TZ=Europe/Berlin"
          hint={`One NAME=value in each line. ${countText(names.length, 'variable')}`}
          issue={form.issues.value.env ?? fault ?? undefined}
        />
        <Conflicts form={form} labels={{ env: 'Environment variables' }} />
        <EqualCalls
          operation={`${kind}.saveEnvironment`}
          input={{ ...idInput(kind, databaseId), env }}
          command={shellLine`berth set ${path} --env-file FILE --no-deploy`}
        />
      </FormBox>
      {isSaved.value && !hasChanged && (
        <Notice tone="good" announce>
          <p>Saved. Deploy the database to apply the variables.</p>
        </Notice>
      )}
    </section>
  )
}
