/** Dialogs. The browser keeps the focus inside and closes them with Escape. Afterwards the focus returns. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useForm } from '../data/forms/form.ts'
import { Button } from './button.tsx'
import { CloseIcon } from './icons.tsx'
import { FormBox } from './forms/form.tsx'
import { TextField } from './forms/fields.tsx'

interface Props {
  title: string
  onClose: () => void
  /** Escape and a close button are missing: the person has to answer. */
  isRequired?: boolean
  children: ComponentChildren
}

export function Dialog({ title, onClose, isRequired = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current!
    const opener = document.activeElement
    element.showModal()
    // The browser gives the focus to the close button, which comes first. A person wants to type.
    element.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea)')?.focus()
    return () => {
      element.close()
      // The element has left the page already, so the browser does not return the focus.
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        if (!isRequired) onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {!isRequired && (
          <Button kind="plain" small label="Close" onClick={onClose}>
            <CloseIcon />
          </Button>
        )}
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  /** The button, such as "Remove the database". */
  action: string
  /** What the person has to type; null: a button is enough. */
  phrase: string | null
  isDangerous?: boolean
  onClose: () => void
  run: () => Promise<unknown>
  /** What happens and what is lost. */
  children: ComponentChildren
}

/** Asks before something is done that cannot be undone. Closes after Berth has confirmed the call. */
export function ConfirmDialog({ title, action, phrase, isDangerous = true, onClose, run, children }: ConfirmProps) {
  const form = useForm({ typed: '' })
  const isTyped = phrase === null || form.fields.typed.value.trim() === phrase
  return (
    <Dialog title={title} onClose={onClose}>
      <FormBox
        form={form}
        submit={action}
        kind={isDangerous ? 'danger' : 'primary'}
        unavailable={isTyped ? null : `Type ${phrase} to confirm`}
        onSubmit={run}
        onDone={onClose}
        onCancel={onClose}
      >
        <div class="stack">{children}</div>
        {phrase !== null && (
          <TextField
            field={form.fields.typed}
            label={
              <>
                Type <code>{phrase}</code> to confirm
              </>
            }
            autoComplete="off"
          />
        )}
      </FormBox>
    </Dialog>
  )
}
