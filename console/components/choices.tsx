/** A choice of a few values, side by side. The arrow keys change it. */
import { useId } from 'preact/hooks'

interface Props {
  /** What is chosen, for a screen reader. */
  label: string
  choices: readonly { value: string; text: string }[]
  value: string
  onChange: (value: string) => void
}

export function Choices({ label, choices, value, onChange }: Props) {
  const name = useId()
  return (
    <fieldset class="choices">
      <legend class="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>{choice.text}</span>
        </label>
      ))}
    </fieldset>
  )
}
