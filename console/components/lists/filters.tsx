/** What limits a list: a search as you type, and choices. */
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'

export function SearchInput({ field, label }: { field: Signal<string>; label: string }) {
  const id = useId()
  return (
    <div class="field search">
      <label for={id} class="hint">
        {label}
      </label>
      <input
        id={id}
        class="input"
        type="search"
        autoComplete="off"
        spellcheck={false}
        value={field.value}
        onInput={(event) => (field.value = event.currentTarget.value)}
      />
    </div>
  )
}

interface SelectProps {
  field: Signal<string>
  label: string
  /** The text of the choice that limits nothing. */
  none: string
  /** Values with their texts. */
  choices: readonly (readonly [string, string])[]
}

/** A value of the URL that is no choice any more stays visible. */
export function FilterSelect({ field, label, none, choices }: SelectProps) {
  const id = useId()
  const isKnown = field.value === '' || choices.some(([value]) => value === field.value)
  return (
    <div class="field">
      <label for={id} class="hint">
        {label}
      </label>
      <select id={id} class="input" value={field.value} onChange={(event) => (field.value = event.currentTarget.value)}>
        <option value="">{none}</option>
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
        {!isKnown && <option value={field.value}>{field.value}</option>}
      </select>
    </div>
  )
}
