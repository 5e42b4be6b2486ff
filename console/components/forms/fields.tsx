/** The fields of forms. Each belongs to a signal of the form. */
import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Button } from '../button.tsx'
import { WarningIcon } from '../icons.tsx'

interface Common {
  label: ComponentChildren
  hint?: ComponentChildren
  /** What is wrong with the value. */
  issue?: string | undefined
  required?: boolean
}

interface FrameProps extends Common {
  id: string
  children: ComponentChildren
}

function Frame({ id, label, hint, issue, required = true, children }: FrameProps) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && <span class="hint"> (optional)</span>}
      </label>
      {children}
      <Notes id={id} hint={hint} issue={issue} />
    </div>
  )
}

/** What explains a field, and what is wrong with it. */
const Notes = ({ id, hint, issue }: Pick<FrameProps, 'id' | 'hint' | 'issue'>) => (
  <>
    {hint !== undefined && (
      <div id={`${id}-hint`} class="hint">
        {hint}
      </div>
    )}
    {issue !== undefined && (
      <div id={`${id}-issue`} class="wrong">
        <WarningIcon />
        {issue}
      </div>
    )}
  </>
)

const describedBy = (id: string, { hint, issue }: Common) =>
  [hint !== undefined && `${id}-hint`, issue !== undefined && `${id}-issue`].filter(Boolean).join(' ') || undefined

export interface TextProps extends Common {
  field: Signal<string>
  type?: 'text' | 'email' | 'password' | 'number' | 'search' | 'url' | 'date'
  placeholder?: string
  autoComplete?: string
  inputMode?: 'numeric' | 'text' | 'decimal'
  /** Several lines. */
  isLong?: boolean
  /** The text is a secret of several lines: its characters are not shown. */
  isMasked?: boolean
  isCode?: boolean
  min?: number
  max?: number
  step?: number | 'any'
  /** The id of a datalist with suggestions. */
  list?: string
  disabled?: boolean
  /** A button at the end of the input. */
  endButton?: ComponentChildren
}

export function TextField(props: TextProps) {
  const {
    field,
    type = 'text',
    isLong = false,
    isMasked = false,
    isCode = false,
    required = true,
    endButton,
    label,
    hint,
    issue,
    ...rest
  } = props
  const id = useId()
  const attributes = {
    ...rest,
    id,
    class: `input ${isCode ? 'mono' : ''} ${isMasked ? 'masked' : ''}`,
    value: field.value,
    'aria-invalid': issue !== undefined,
    'aria-describedby': describedBy(id, props),
    'aria-required': required,
    spellcheck: false,
    onInput: (event: { currentTarget: { value: string } }) => {
      field.value = event.currentTarget.value
    },
  }
  return (
    <Frame id={id} label={label} hint={hint} issue={issue} required={required}>
      <div class="with-button">
        {isLong ? <textarea {...attributes} /> : <input {...attributes} type={type as 'text'} />}
        {endButton}
      </div>
    </Frame>
  )
}

/** A secret that the person types. It stays while the tab is hidden. With `isLong`, it may have several lines. */
export function PasswordField(props: TextProps) {
  const isShown = useSignal(false)
  return (
    <TextField
      {...props}
      type={isShown.value ? 'text' : 'password'}
      isMasked={props.isLong === true && !isShown.value}
      endButton={
        <Button small onClick={() => (isShown.value = !isShown.value)}>
          {isShown.value ? 'Hide' : 'Show'}
        </Button>
      }
    />
  )
}

export interface Choice {
  value: string
  text: string
}

export interface SelectProps extends Common {
  field: Signal<string>
  choices: readonly Choice[]
  disabled?: boolean
}

export function SelectField(props: SelectProps) {
  const { field, choices, label, hint, issue, required = true, disabled = false } = props
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} issue={issue} required={required}>
      <select
        id={id}
        class="input"
        value={field.value}
        disabled={disabled}
        aria-invalid={issue !== undefined}
        aria-describedby={describedBy(id, props)}
        onChange={(event) => (field.value = event.currentTarget.value)}
      >
        {choices.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export function CheckField({ field, label, hint, issue }: Common & { field: Signal<boolean> }) {
  const id = useId()
  return (
    <div class="field">
      <div class="check">
        <input
          id={id}
          type="checkbox"
          checked={field.value}
          aria-describedby={describedBy(id, { label, hint, issue })}
          onChange={(event) => (field.value = event.currentTarget.checked)}
        />
        <label for={id}>{label}</label>
      </div>
      <Notes id={id} hint={hint} issue={issue} />
    </div>
  )
}
