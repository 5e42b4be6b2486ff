/** A form: fields, what is wrong, and the buttons. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { isReachable } from '../../data/api.ts'
import type { Form } from '../../data/forms/form.ts'
import { Button } from '../button.tsx'
import { ErrorNotice, Notice } from '../notice.tsx'

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
  /** The text of the other button. */
  cancel?: string
  children: ComponentChildren
}

/** After a failed attempt the focus moves to the first wrong field. */
export function FormBox<V extends object>(props: Props<V>) {
  const {
    form,
    submit,
    kind = 'primary',
    unavailable = null,
    onSubmit,
    onDone,
    onCancel,
    cancel = 'Cancel',
    children,
  } = props
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
      <Reconnecting form={form} />
      {form.error.value !== null && <ErrorNotice error={form.error.value} />}
      <div class="buttons">
        <Button type="submit" kind={kind} busy={form.isBusy.value} unavailable={unavailable}>
          {submit}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>{cancel}</Button>}
      </div>
    </form>
  )
}

/** While a call is under way and Berth is unreachable. The client repeats the call, which is carried out once. */
export const Reconnecting = ({ form }: { form: Pick<Form<object>, 'isBusy'> }) =>
  form.isBusy.value && !isReachable.value ? (
    <Notice tone="warning" announce>
      <p>No connection to Berth, trying again. What you typed stays here.</p>
    </Notice>
  ) : null
