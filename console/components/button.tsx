/** Buttons, and links that look like buttons. A button that cannot be used says why. */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { WorkingIcon } from './icons.tsx'

interface Props {
  children: ComponentChildren
  kind?: 'primary' | 'danger' | 'plain' | 'usual'
  small?: boolean
  /** Why the button cannot be used now; null: it can. */
  unavailable?: string | null
  busy?: boolean
  type?: 'button' | 'submit'
  onClick?: () => void
  /** For a button that shows only an icon. */
  label?: string
}

/** An unavailable button keeps its focus, so that a keyboard reaches the reason. A press shows it, also without a mouse. */
export function Button(props: Props) {
  const { children, kind = 'usual', small, unavailable = null, busy = false, type = 'button', onClick, label } = props
  const reasonId = useId()
  const [isReasonShown, showReason] = useState(false)
  const isOff = unavailable !== null || busy
  const click = (event: Event) => {
    if (!isOff) return onClick?.()
    event.preventDefault()
    showReason(true)
  }
  return (
    <>
      <button
        type={type}
        class={`button ${kind} ${small ? 'small' : ''}`}
        aria-disabled={isOff}
        aria-label={label}
        aria-describedby={unavailable === null ? undefined : reasonId}
        title={unavailable ?? label}
        onClick={click}
      >
        {busy && <WorkingIcon />}
        {children}
      </button>
      {unavailable !== null && (
        <span id={reasonId} class={isReasonShown ? 'hint' : 'visually-hidden'}>
          {unavailable}
        </span>
      )}
    </>
  )
}

export const LinkButton = ({ href, kind = 'usual', small, children }: Omit<Props, 'onClick'> & { href: string }) => (
  <Link href={href} class={`button ${kind} ${small ? 'small' : ''}`}>
    {children}
  </Link>
)
