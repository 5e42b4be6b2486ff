/** A secret that Berth answers only on demand. It is hidden again when the tab is hidden. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy.tsx'
import { ErrorNotice } from '../notice.tsx'

interface Props {
  /** What it is, such as "the password". */
  what: string
  /** What is shown before, such as a URL with a masked password. */
  masked: string
  /** Reads the secret. Berth records the read in the audit log. */
  read: () => Promise<string>
  /** Why the person cannot read it; null: the person can. */
  unavailable?: string | null
}

export function Secret({ what, masked, read, unavailable = null }: Props) {
  const revealed = useSignal<string | null>(null)
  const error = useSignal<unknown>(null)
  useEffect(() => {
    const hide = () => {
      if (document.hidden) revealed.value = null
    }
    document.addEventListener('visibilitychange', hide)
    return () => document.removeEventListener('visibilitychange', hide)
  }, [])
  const reveal = async () => {
    error.value = null
    try {
      revealed.value = await read()
    } catch (caught) {
      error.value = caught
    }
  }
  return (
    <div class="stack">
      <div class="inline-copy">
        <code>{revealed.value ?? masked}</code>
        {revealed.value === null ? (
          <Button small label={`Show ${what}`} unavailable={unavailable} onClick={() => void reveal()}>
            Show
          </Button>
        ) : (
          <>
            <Button small label={`Hide ${what}`} onClick={() => (revealed.value = null)}>
              Hide
            </Button>
            <CopyButton text={revealed.value} what={what} />
          </>
        )}
      </div>
      {error.value !== null && <ErrorNotice error={error.value} />}
    </div>
  )
}
