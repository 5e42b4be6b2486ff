/** Restores a dump: into a new database by default, or into one that exists, whose data it replaces. */
import { useSignal } from '@preact/signals'
import type { Run } from '../../../../../client/client.ts'
import { Dialog } from '../../../../components/dialog.tsx'
import { EqualCalls } from '../../../../components/forms/equal-calls.tsx'
import { CheckField, PasswordField, SelectField, TextField } from '../../../../components/forms/fields.tsx'
import { FormBox } from '../../../../components/forms/form.tsx'
import { Notice } from '../../../../components/notice.tsx'
import { api } from '../../../../data/api.ts'
import { bytesText, countText, exactText } from '../../../../data/format.ts'
import { type Form, presentValues, useForm } from '../../../../data/forms/form.ts'
import type { Kind } from '../../../../data/kinds.ts'
import { useQuery } from '../../../../data/live/query.ts'
import type { TabProps } from '../../view.ts'
import { dumpText } from '../runs/words.ts'
import { type RestoreValues, restoreInput, type Source } from './values.ts'

interface Props {
  tab: TabProps
  source: Source
  /** What is known about the dump; null: only its key. */
  run: Run | null
  onClose: () => void
}

export function RestoreDialog({ tab, source, run, onClose }: Props) {
  const { record, kind, databaseId } = tab
  const form = useForm<RestoreValues>({
    // The safety dump of a database is wanted back in its place.
    ...{
      into: run?.trigger === 'safety' ? 'same' : 'new',
      appName: `${record.appName}-restored`,
      projectId: record.projectId,
      confirm: '',
      database: '',
    },
    ...{ identity: '', skipSafetyDump: false, withoutNeeds: false },
  })
  const done = useSignal<Run | null>(null)
  const { fields } = form
  const isNew = fields.into.value === 'new'
  const isTyped = isNew || fields.confirm.value.trim() === record.appName
  const input = (values: RestoreValues) => restoreInput(values, source, kind, databaseId)
  if (done.value !== null) return <Begun run={done.value} isNew={isNew} onClose={onClose} />
  return (
    <Dialog title="Restore a dump" onClose={onClose}>
      <SourceLine source={source} run={run} />
      <FormBox
        form={form}
        submit={isNew ? 'Restore into a new database' : `Replace the data of ${record.appName}`}
        kind={isNew ? 'primary' : 'danger'}
        unavailable={isTyped ? null : `Type ${record.appName} to confirm`}
        onSubmit={async (values) => (done.value = await api.backup.restore(input(values) as never))}
        onCancel={onClose}
      >
        <SelectField
          field={fields.into}
          label="Restore into"
          choices={[
            { value: 'new', text: 'A new database' },
            { value: 'same', text: `This database, ${record.appName}: replaces its data` },
          ]}
        />
        {isNew ? (
          <NewTarget form={form} needs={run?.needs ?? []} />
        ) : (
          <SameTarget form={form} kind={kind} appName={record.appName} />
        )}
        <Identity form={form} run={run} />
        <EqualCalls operation="backup.restore" input={input(presentValues(form))} />
      </FormBox>
    </Dialog>
  )
}

function SourceLine({ source, run }: { source: Source; run: Run | null }) {
  if (run === null) {
    return (
      <p>
        From the object <code>{'key' in source ? source.key : ''}</code>
      </p>
    )
  }
  const at = exactText(Date.parse(run.startedAt ?? run.createdAt))
  const rows = run.rowCount === null ? '' : `, ${countText(run.rowCount, 'row')}`
  const size = run.rawBytes === null ? '' : `, ${bytesText(run.rawBytes)} before compression`
  return (
    <p>
      The {dumpText(run)} of <code>{run.database}</code> from {at}
      {rows}
      {size}. What changed since {at} is not in this dump.{' '}
      {run.verifiedAt === null && 'It was read back, but never verified by a restore.'}
    </p>
  )
}

function NewTarget({ form: { fields, issues }, needs }: { form: Form<RestoreValues>; needs: readonly string[] }) {
  const projects = useQuery('project.all', {}).data.value ?? []
  return (
    <>
      <TextField
        field={fields.appName}
        label="Name of the new database on the swarm (appName)"
        isCode
        issue={issues.value.appName}
        hint={
          'Other containers reach the new database by this name. It gets the image, command, variables and limits of ' +
          'the dumped one and a new password.'
        }
      />
      <SelectField
        field={fields.projectId}
        label="Project"
        choices={projects.map(({ projectId, name }) => ({ value: projectId, text: name }))}
        issue={issues.value.projectId}
      />
      {(needs.length > 0 || issues.value.withoutNeeds !== undefined) && (
        <CheckField
          field={fields.withoutNeeds}
          label="Restore without the other databases that this dump needs"
          issue={issues.value.withoutNeeds}
          hint={
            `Objects of the dump need ${needs.length > 0 ? needs.join(', ') : 'other databases'}, which a new server does ` +
            'not have. Views that need them are left out. Foreign keys, triggers and routines fail when they are used. ' +
            'Or restore those databases into a new server first, and then this dump into that server.'
          }
        />
      )}
    </>
  )
}

/** What a restore does to the present data. The same facts are in docs/backups.md. */
const replacesVolume =
  'Berth loads the dump into a new volume on the same node while the database runs. Then it stops the database, copies the ' +
  'other databases of the server and its accounts, and starts it on the new volume. If anything fails, it runs on its old ' +
  'volume, with all its data. Both need disk space, and the old volume is kept.'
const replacement: Record<Kind, string> = {
  postgres:
    'Berth restores beside the present database, which stays in use. At the end, one step ends all sessions and ' +
    'replaces it. If the restore fails before, nothing has changed. Both need disk space meanwhile.',
  mysql: replacesVolume,
  mariadb: replacesVolume,
  mongo: replacesVolume,
  redis:
    'A second server loads the dump first. Then the database becomes a replica of it and takes all its data in one step. ' +
    'Meanwhile it refuses writes. If the restore fails, the present data stays. The second server needs as much memory ' +
    'as the data.',
}

interface SameProps {
  form: Form<RestoreValues>
  kind: Kind
  appName: string
}

function SameTarget({ form: { fields, issues }, kind, appName }: SameProps) {
  return (
    <>
      <Notice tone="warning">
        <p>
          <strong>All present data of this database is replaced.</strong> {replacement[kind]}
        </p>
        <p>
          First Berth makes a <strong>safety dump</strong> of the present data. It is listed among the runs, can be
          restored like any dump, and is deleted after 7 days unless Berth is set otherwise.
        </p>
      </Notice>
      {kind !== 'redis' && (
        <TextField
          field={fields.database}
          label="Database within the server"
          required={false}
          issue={issues.value.database}
          hint="Empty: the name of the dumped database."
        />
      )}
      <CheckField
        field={fields.skipSafetyDump}
        label="Make no safety dump"
        issue={issues.value.skipSafetyDump}
        hint="Only if the present data can no longer be read. The restore cannot be undone then."
      />
      <TextField
        field={fields.confirm}
        label={
          <>
            Type <code>{appName}</code> to confirm
          </>
        }
        issue={issues.value.confirm}
        autoComplete="off"
      />
    </>
  )
}

/** Berth asks for the secret key only if it cannot open the dump itself. */
function Identity({ form: { fields, issues }, run }: { form: Form<RestoreValues>; run: Run | null }) {
  const issue = issues.value.identity
  if (run?.encrypted === false && issue === undefined) return null
  return (
    <PasswordField
      field={fields.identity}
      label="Secret key of the dump (age identity)"
      required={false}
      issue={issue}
      autoComplete="off"
      hint="Only for a dump that is encrypted for another key than Berth's: a line that begins with AGE-SECRET-KEY-."
    />
  )
}

function Begun({ run, isNew, onClose }: { run: Run; isNew: boolean; onClose: () => void }) {
  return (
    <Dialog title="The restore has begun" onClose={onClose}>
      <Notice tone="working" announce>
        <p>
          {isNew
            ? 'Berth creates the new database and loads the dump into it. Its screen shows how far the work is.'
            : 'This screen shows how far the restore is. It goes on when you close the page.'}
        </p>
        {isNew && run.databaseId !== null && (
          <p>
            <a href={`/databases/${run.databaseId}/backups`}>Go to the new database</a>
          </p>
        )}
        {run.notCarriedOver !== undefined && run.notCarriedOver.length > 0 && (
          <p>
            The new database does not get these fields of the dumped one:{' '}
            {run.notCarriedOver.map(({ field, names = [] }) => [field, ...names].join(' ')).join('; ')}.
          </p>
        )}
      </Notice>
    </Dialog>
  )
}
