/** A password of a record: keep it, replace it by a random one, or type a new one. */
import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import { Choices } from '../../../components/choices.tsx'
import { PasswordField } from '../../../components/forms/fields.tsx'
import { mask } from './fields.ts'

type Way = 'keep' | 'random' | 'type'

interface Props {
  /** The mask keeps the password, an empty text asks for a random one. */
  field: Signal<string>
  label: string
  issue: string | undefined
}

export function PasswordChoice({ field, label, issue }: Props) {
  const way = useSignal<Way>('keep')
  // A saved or discarded change has put the mask back.
  const present = field.value === mask && way.value !== 'type' ? 'keep' : way.value
  const choose = (value: string) => {
    way.value = value as Way
    field.value = value === 'random' ? '' : mask
  }
  const typedField = {
    get value() {
      return field.value === mask ? '' : field.value
    },
    set value(text: string) {
      field.value = text === '' ? mask : text
    },
  } as Signal<string>
  return (
    <div class="field">
      <span class="label">{label}</span>
      <Choices
        label={label}
        choices={[
          { value: 'keep', text: 'keep' },
          { value: 'random', text: 'new random one' },
          { value: 'type', text: 'type a new one' },
        ]}
        value={present}
        onChange={choose}
      />
      {present === 'random' && <p class="hint">Berth makes it. You can show it under Connect after the deploy.</p>}
      {present === 'type' && (
        <PasswordField
          field={typedField}
          label={`New ${label[0]!.toLowerCase()}${label.slice(1)}`}
          autoComplete="new-password"
          hint="An empty field keeps the present password"
          issue={issue}
        />
      )}
      {present !== 'type' && issue !== undefined && <p class="wrong">{issue}</p>}
    </div>
  )
}
