/** Which good dumps are kept, and the URL that hears of each good dump: the same for backups and for Berth's own state. */
import type { Form } from '../../data/forms/form.ts'
import { TextField } from '../forms/fields.tsx'

export interface KeepValues {
  keepLatest: string
  keepDays: string
  signalUrl: string
}

/** @param what what is kept, such as "dumps" */
export function KeepFields({ form, what }: { form: Pick<Form<KeepValues>, 'fields' | 'issues'>; what: string }) {
  const { fields, issues } = form
  return (
    <>
      <div class="row">
        <TextField
          field={fields.keepLatest}
          label="Keep the newest"
          type="number"
          min={1}
          max={10_000}
          required={false}
          hint={`How many ${what}. Empty: no such rule.`}
          issue={issues.value.keepLatest}
        />
        <TextField
          field={fields.keepDays}
          label="Keep for days"
          type="number"
          min={1}
          max={10_000}
          required={false}
          hint="Empty: no such rule. Without a rule, all are kept."
          issue={issues.value.keepDays}
        />
      </div>
      <TextField
        field={fields.signalUrl}
        label="URL to call after each good one"
        type="url"
        required={false}
        hint="Berth sends a GET request. A monitor that expects it raises an alarm when it does not come."
        issue={issues.value.signalUrl}
      />
    </>
  )
}

/** The input of the API: empty fields are no rules. */
export const keepInput = ({ keepLatest, keepDays, signalUrl }: KeepValues) => ({
  keepLatest: numberOrNull(keepLatest),
  keepDays: numberOrNull(keepDays),
  signalUrl: signalUrl.trim() === '' ? null : signalUrl.trim(),
})

const numberOrNull = (text: string) => (text.trim() === '' ? null : Number(text))

interface KeepRules {
  keepLatest: number | null
  keepDays: number | null
}

/** The fields of a form for a record. */
export const keepValues = ({
  keepLatest,
  keepDays,
  signalUrl,
}: KeepRules & { signalUrl: string | null }): KeepValues => ({
  keepLatest: keepLatest?.toString() ?? '',
  keepDays: keepDays?.toString() ?? '',
  signalUrl: signalUrl ?? '',
})

/** "the newest 14 and those of the last 30 days". */
export function keepText({ keepLatest, keepDays }: KeepRules): string {
  const rules = [
    keepLatest === null ? null : `the newest ${keepLatest}`,
    keepDays === null ? null : `those of the last ${keepDays} ${keepDays === 1 ? 'day' : 'days'}`,
  ].filter((rule) => rule !== null)
  return rules.length === 0 ? 'all' : rules.join(' and ')
}
