/** The frame of the pages before the console: the sign-in, the first start, an invitation. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { BerthMark } from '../../components/icons.tsx'

interface Props {
  title: string
  isWide?: boolean
  /** Above the card. */
  head?: ComponentChildren
  /** Below the card. */
  foot?: ComponentChildren
  children: ComponentChildren
}

export function Gate({ title, isWide = false, head, foot, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${title} · Berth`
    if (!isFirst.current) heading.current?.focus()
    isFirst.current = false
  }, [title])
  return (
    <main class={`gate ${isWide ? 'wide' : ''}`}>
      <span class="brand">
        <BerthMark />
        Berth
      </span>
      {head}
      <div class="card">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
      {foot}
    </main>
  )
}
