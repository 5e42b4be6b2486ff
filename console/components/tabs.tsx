/** Tabs as links: each has an address, so that a person can send it to another one. */
import { useEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'

export interface Tab {
  href: string
  text: string
}

/** On a narrow screen the list scrolls, and the current tab is brought into view. */
export function Tabs({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    const link = list.current!.querySelector<HTMLElement>('[aria-current]')
    if (link !== null) list.current!.scrollLeft = link.offsetLeft - list.current!.offsetLeft - link.offsetWidth
  }, [current])
  return (
    <nav class="tabs" aria-label={label} ref={list}>
      {tabs.map(({ href, text }) => (
        <Link key={href} href={href} aria-current={href === current ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  )
}
