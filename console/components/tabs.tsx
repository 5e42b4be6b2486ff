/** Tabs as links: each has an address, so that a person can send it to another one. */
import { Link } from 'wouter-preact'

export interface Tab {
  href: string
  text: string
}

export const Tabs = ({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, text }) => (
      <Link key={href} href={href} aria-current={href === current ? 'page' : undefined}>
        {text}
      </Link>
    ))}
  </nav>
)
