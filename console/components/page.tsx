/** The head of a screen: its title, what can be done, and the state of having nothing yet. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  title: string
  /** Beside the title in the tab of the browser, such as the name of the project. */
  within?: string
  sub?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}

/** The focus moves to the title when another screen is opened, so that a screen reader reads where the person is. */
export function Page({ title, within, sub, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = [title, within, 'Berth'].filter(Boolean).join(' · ')
  }, [title, within])
  useEffect(() => {
    // The first screen of the page leaves the focus at the beginning.
    if (document.documentElement.dataset.visited === 'yes') heading.current?.focus({ preventScroll: true })
    document.documentElement.dataset.visited = 'yes'
  }, [])
  return (
    <>
      <header class="head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {sub !== undefined && <div class="sub">{sub}</div>}
        </div>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </header>
      {children}
    </>
  )
}

/** There is nothing yet: what it is for, and how to begin. */
export const Empty = ({
  title,
  children,
  action,
}: {
  title: string
  children: ComponentChildren
  action?: ComponentChildren
}) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
)
