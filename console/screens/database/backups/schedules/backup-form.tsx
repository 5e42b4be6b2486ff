/** Creates or changes a backup: a schedule for the dumps of one database. */
import { Loaded } from '../../../../components/loaded.tsx'
import { Dialog } from '../../../../components/dialog.tsx'
import { Conflicts } from '../../../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../../../components/forms/equal-calls.tsx'
import { CheckField, SelectField, TextField } from '../../../../components/forms/fields.tsx'
import { FormBox } from '../../../../components/forms/form.tsx'
import { KeepFields } from '../../../../components/schedule/keep-fields.tsx'
import { ScheduleField, ZoneField } from '../../../../components/schedule/schedule-field.tsx'
import { api } from '../../../../data/api.ts'
import { type Form, presentValues, useForm } from '../../../../data/forms/form.ts'
import { useQuery } from '../../../../data/live/query.ts'
import { useRecordForm } from '../../../../data/forms/record-form.ts'
import { idInput } from '../../../../data/kinds.ts'
import type { TabProps } from '../../view.ts'
import { RecipientFields } from './recipient-fields.tsx'
import { type BackupValues, backupInput, backupValues, fieldLabels, newBackup } from './values.ts'

interface FieldsProps {
  form: Form<BackupValues>
  /** Whether a dump has all databases of the server. */
  hasWholeServer: boolean
}

function BackupFields({ form, hasWholeServer }: FieldsProps) {
  const { fields, issues } = form
  const destinations = useQuery('destination.all', {}).data.value ?? []
  const choices = destinations.map(({ destinationId, name, kind, bucket }) => ({
    value: destinationId,
    text: `${name} (${kind === 's3' ? 'bucket' : 'folder'} ${bucket})`,
  }))
  const timezone = fields.timezone.value
  return (
    <>
      <SelectField
        field={fields.destinationId}
        label={fieldLabels.destinationId}
        choices={[{ value: '', text: 'Choose a destination' }, ...choices]}
        issue={issues.value.destinationId}
        hint="The bucket that dumps are uploaded to."
      />
      {!hasWholeServer && (
        <TextField
          field={fields.database}
          label={fieldLabels.database}
          issue={issues.value.database}
          hint="A server may have several databases. A backup dumps one of them."
        />
      )}
      <ScheduleField
        field={fields.schedule}
        label={fieldLabels.schedule}
        timezone={timezone}
        issue={issues.value.schedule}
      />
      <ScheduleField
        field={fields.verifySchedule}
        label={fieldLabels.verifySchedule}
        timezone={timezone}
        issue={issues.value.verifySchedule}
        never="Never by itself"
        hint="Berth restores the last good dump to a temporary server and compares the content. Only this proves a dump."
      />
      <ZoneField field={fields.timezone} issue={issues.value.timezone} />
      <KeepFields form={form} what="dumps" />
      <RecipientFields form={form} />
      <TextField
        field={fields.prefix}
        label={fieldLabels.prefix}
        issue={issues.value.prefix}
        isCode
        hint="A folder in the bucket. Dumps of several backups may share it."
      />
      <CheckField
        field={fields.enabled}
        label={fieldLabels.enabled}
        hint="If it is off, Berth makes dumps only on demand."
        issue={issues.value.enabled}
      />
    </>
  )
}

export function NewBackupDialog({ tab, onClose }: { tab: TabProps; onClose: () => void }) {
  const destinations = useQuery('destination.all', {})
  return (
    <Dialog title="Schedule a backup" onClose={onClose}>
      <Loaded query={destinations} what="the destinations">
        {(list) => (
          <NewBackupForm
            tab={tab}
            onlyDestinationId={list.length === 1 ? list[0]!.destinationId : ''}
            onDone={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  )
}

interface NewProps {
  tab: TabProps
  /** Empty: there are several destinations, or none. */
  onlyDestinationId: string
  onDone: () => void
}

function NewBackupForm({ tab, onlyDestinationId, onDone }: NewProps) {
  const form = useForm({ ...newBackup(tab.record), destinationId: onlyDestinationId })
  const hasWholeServer = tab.kind === 'redis'
  const operation = hasWholeServer ? 'backup.createRedis' : 'backup.create'
  const input = (values: BackupValues) => {
    const { database, ...rest } = backupInput(values)
    const named = hasWholeServer ? {} : { database, databaseType: tab.kind }
    return { ...rest, ...named, ...idInput(tab.kind, tab.databaseId) } as never
  }
  return (
    <FormBox
      form={form}
      submit="Schedule the backup"
      onSubmit={(values) => (hasWholeServer ? api.backup.createRedis : api.backup.create)(input(values))}
      onDone={onDone}
      onCancel={onDone}
    >
      <BackupFields form={form} hasWholeServer={hasWholeServer} />
      <EqualCalls operation={operation} input={input(presentValues(form))} />
    </FormBox>
  )
}

interface EditProps {
  backupId: string
  /** The record as it was read when the form was opened. */
  first: { values: BackupValues; etag: string; hasWholeServer: boolean }
  onClose: () => void
}

/** Sends the whole record, for backup.update requires most of it. If-Match keeps changes of others from being lost. */
export function EditBackupDialog({ backupId, first, onClose }: EditProps) {
  const form = useRecordForm(first, () => readBackup(backupId))
  const input = (values: BackupValues) => ({ backupId, ...backupInput(values) })
  const submit = () => form.save((_changed, headers) => api.backup.update(input(form.values()), { headers }))
  return (
    <Dialog title="Change the backup" onClose={onClose}>
      <FormBox
        form={{ ...form, submit }}
        submit="Save the backup"
        onSubmit={() => Promise.resolve()}
        onDone={onClose}
        onCancel={onClose}
      >
        <BackupFields form={form} hasWholeServer={first.hasWholeServer} />
        <Conflicts form={form} labels={fieldLabels} />
        <EqualCalls operation="backup.update" input={input(presentValues(form))} />
      </FormBox>
    </Dialog>
  )
}

export async function readBackup(backupId: string) {
  let etag = ''
  const onHeaders = (headers: Pick<Headers, 'get'>) => {
    etag = headers.get('etag') ?? ''
  }
  const backup = await api.backup.one({ backupId }, { onHeaders })
  return { values: backupValues(backup), etag, hasWholeServer: backup.redisId !== null }
}
