/** What another person has changed while this person edited the same record. */
import type { RecordForm } from '../../data/forms/record-form.ts'
import { Button } from '../button.tsx'
import { Notice } from '../notice.tsx'

interface Props<V extends object> {
  form: RecordForm<V>
  /** The label of each field. */
  labels: Record<keyof V & string, string>
}

export function Conflicts<V extends object>({ form, labels }: Props<V>) {
  const conflicts = form.conflicts.value
  if (conflicts === null) return null
  const own = form.changed.value as string[]
  return (
    <Notice tone="warning" announce>
      <p>
        <strong>Somebody else has changed this record since you opened it.</strong> Nothing was saved. Your text is
        still here; save again to write it over theirs.
      </p>
      <ul class="stack">
        {conflicts.map(({ field, before, theirs }) => (
          <li key={field}>
            <strong>{labels[field as keyof V & string] ?? field}</strong>: was <code>{valueText(before)}</code>, is now{' '}
            <code>{valueText(theirs)}</code>.{' '}
            {own.includes(field) ? (
              <Button small onClick={() => form.takeTheirs(field)}>
                Use theirs
              </Button>
            ) : (
              'The form has taken it over.'
            )}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

/** A value of a record, as a person reads it. */
export const valueText = (value: unknown): string =>
  value === null || value === '' ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value)
