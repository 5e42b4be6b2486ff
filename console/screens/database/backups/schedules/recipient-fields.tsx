/** For whom dumps are encrypted. */
import type { Signal } from '@preact/signals'
import { SelectField, TextField } from '../../../../components/forms/fields.tsx'
import { Notice } from '../../../../components/notice.tsx'
import { TimeOr } from '../../../../components/time.tsx'
import type { Form } from '../../../../data/forms/form.ts'
import { useQuery } from '../../../../data/live/query.ts'
import { type BackupValues, fieldLabels } from './values.ts'

const choices = [
  { value: '', text: 'Not encrypted' },
  { value: 'installation', text: 'Encrypted for this Berth' },
  { value: 'own', text: 'Encrypted for another key (age1…)' },
]

export function RecipientFields({ form }: { form: Form<BackupValues> }) {
  const field = form.fields.recipient
  const isOwn = field.value !== '' && field.value !== 'installation'
  const choice = {
    get value() {
      return isOwn ? 'own' : field.value
    },
    set value(chosen: string) {
      field.value = chosen === 'own' ? 'age1' : chosen
    },
  } as Signal<string>
  const issue = form.issues.value.recipient
  return (
    <div class="stack">
      <SelectField
        field={choice}
        label={fieldLabels.recipient}
        choices={choices}
        issue={isOwn ? undefined : issue}
        hint={field.value === '' ? 'Everybody who can read the bucket can read the dumps.' : undefined}
      />
      {isOwn && (
        <TextField
          field={field}
          label="Public key (age recipient)"
          isCode
          issue={issue}
          hint={
            'Only the owner of the secret key can open the dumps. Berth cannot verify them by a restore, and a ' +
            'restore asks for the secret key.'
          }
        />
      )}
      {field.value === 'installation' && <InstallationRecipient />}
    </div>
  )
}

/** The key of this Berth has to be kept somewhere else, or nobody can open the dumps when Berth is lost. */
function InstallationRecipient() {
  const own = useQuery('backup.installationRecipient', {}).data.value
  if (own === undefined) return null
  const command = <code>berth key export-backup-identity berth-identity.txt</code>
  if (own.recipient === null) {
    return (
      <Notice tone="warning">
        <p>
          <strong>Export the secret key first.</strong> Run {command} on the machine of Berth, and keep the file
          somewhere else. Without it and without Berth, nobody can open the dumps.
        </p>
      </Notice>
    )
  }
  return (
    <Notice>
      <p>
        Public key: <code>{own.recipient}</code>
      </p>
      <p>
        The secret key was exported last <TimeOr at={own.exportedAt} none="never" />. Keep that file: it opens the dumps
        without Berth. Dumps and restores work as without encryption.
      </p>
    </Notice>
  )
}
