/** The choice of a kind, with a sentence on what each is for. */
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { type Kind, kindLabels, kinds } from '../../data/kinds.ts'
import { suggestions } from './first-database.ts'

export function KindField({ field }: { field: Signal<Kind> }) {
  const name = useId()
  return (
    <fieldset class="field">
      <legend>Kind</legend>
      <div class="kinds">
        {kinds.map((kind) => (
          <label key={kind}>
            <input
              type="radio"
              name={name}
              value={kind}
              checked={field.value === kind}
              onChange={() => (field.value = kind)}
            />
            <span class="label">{kindLabels[kind]}</span>
            <span class="hint">{suggestions[kind].use}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
