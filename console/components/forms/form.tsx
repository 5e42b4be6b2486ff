/** A form: fields, what is wrong, and the buttons. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Form } from '../../data/forms/form.ts'
import { Button } from '../button.tsx'
import { ErrorNotice } from '../notice.tsx'

interface Props<V extends object> {
  form: Form<V>
  /** The text of the button. */
  submit: string
  kind?: 'primary' | 'danger'
  /** Why the form cannot be sent now; null: it can. */
  unavailable?: string | null
  onSubmit: (values: V) => Promise<unknown>
  /** Called after Berth has confirmed the call. */
  onDone?: () => void
  onCancel?: () => void
  children: ComponentChildren
}

/** After a failed attempt the focus moves to the first wrong field. */
export function FormBox<V extends object>(props: Props<V>) {
  const { form, submit, kind = 'primary', unavailable = null, onSubmit, onDone, onCancel, children } = props
  const element = useRef<HTMLFormElement>(null)
  const send = async () => {
    if (unavailable !== null) return
    if (await form.submit(onSubmit)) onDone?.()
    else setTimeout(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <form
      ref={element}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {children}
      {form.error.value !== null && <ErrorNotice error={form.error.value} />}
      <div class="buttons">
        <Button type="submit" kind={kind} busy={form.isBusy.value} unavailable={unavailable}>
          {submit}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </form>
  )
}
