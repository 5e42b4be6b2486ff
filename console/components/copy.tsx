/** Text to copy, or to save as a file. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

const shownMs = 1500

/** @param what what is copied, for a screen reader: "Copy the internal URL" */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const state = useSignal<'ready' | 'copied' | 'failed'>('ready')
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    state.value = (await copyText(text)) ? 'copied' : 'failed'
    timer.current = window.setTimeout(() => {
      state.value = 'ready'
    }, shownMs)
  }
  const words = { ready: 'Copy', copied: 'Copied', failed: 'Press Ctrl-C' }
  return (
    <Button small label={`Copy ${what}`} onClick={() => void copy()}>
      <span aria-live="polite">{words[state.value]}</span>
    </Button>
  )
}

/** Pages without TLS have no clipboard API, except on this machine. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const area = document.createElement('textarea')
  area.value = text
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}

/** Several lines to copy. */
export const CodeBlock = ({ text, what }: { text: string; what: string }) => (
  <div class="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
    <section class="code-scroll" tabIndex={0} aria-label={what}>
      <pre>{text}</pre>
    </section>
    <CopyButton text={text} what={what} />
  </div>
)

/** One line to copy. */
export const InlineCopy = ({ text, what }: { text: string; what: string }) => (
  <div class="inline-copy">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </div>
)

/** Gives the person a text as a file. */
export function download(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  URL.revokeObjectURL(url)
}
