/** A secret that Berth answers only once. It is hidden while the tab is, and can be shown again until the page is left. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from '../button.tsx'
import { CodeBlock, CopyButton, download } from '../copy.tsx'

interface Props {
  /** What it is, such as "the token". */
  what: string
  text: string
  /** The name of a file for the text; without it there is no download. */
  fileName?: string
}

export function ShownOnce({ what, text, fileName }: Props) {
  const isShown = useSignal(true)
  useEffect(() => {
    const hide = () => {
      if (document.hidden) isShown.value = false
    }
    document.addEventListener('visibilitychange', hide)
    return () => document.removeEventListener('visibilitychange', hide)
  }, [])
  return (
    <div class="stack">
      {isShown.value ? (
        <CodeBlock text={text} what={what} />
      ) : (
        <div class="inline-copy">
          <code>••••••••</code>
          <Button small label={`Show ${what}`} onClick={() => (isShown.value = true)}>
            Show
          </Button>
          <CopyButton text={text} what={what} />
        </div>
      )}
      {fileName !== undefined && <Button onClick={() => download(fileName, `${text}\n`)}>Download {fileName}</Button>}
    </div>
  )
}
