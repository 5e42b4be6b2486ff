/** The navigation at the side, and as a drawer on narrow screens. */
import { useEffect, useRef } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { Button } from '../components/button.tsx'
import { BerthMark } from '../components/icons.tsx'
import { whyClosed } from '../data/access/rights.ts'
import { account, signOut } from '../data/session.ts'
import { type NavGroup, navGroups, routes } from '../routes.ts'
import { chooseTheme, theme, themes } from './theme.ts'

export function Navigation() {
  return (
    <nav class="side-inner" aria-label="Main">
      <Link href="/" class="brand">
        <BerthMark />
        Berth
      </Link>
      <div class="nav">
        {['' as const, ...navGroups].map((group) => (
          <NavSection key={group} group={group} />
        ))}
      </div>
      <div class="side-end">
        <div>
          Signed in as <Link href="/account">{account().email}</Link>
        </div>
        <label>
          Colours{' '}
          <select class="input" value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value)}>
            {themes.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <div class="buttons">
          <Button small onClick={() => void signOut()}>
            Sign out
          </Button>
          <a href="/docs">API reference</a>
        </div>
      </div>
    </nav>
  )
}

function NavSection({ group }: { group: NavGroup }) {
  const [path] = useLocation()
  const entries = routes.filter((route) => route.nav?.group === group && whyClosed(route) === null)
  if (entries.length === 0) return null
  const isCurrent = (href: string) => (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`))
  return (
    <>
      {group !== '' && <h2>{group}</h2>}
      <ul>
        {entries.map(({ path: href, nav }) => (
          <li key={href}>
            <Link href={href} aria-current={isCurrent(href) ? 'page' : undefined}>
              {nav!.text}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

export function MenuDrawer({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current!
    element.showModal()
    return () => element.close()
  }, [])
  return (
    <dialog ref={dialog} class="drawer" aria-label="Menu" onCancel={onClose}>
      <div class="drawer-close">
        <Button small onClick={onClose}>
          Close
        </Button>
      </div>
      <Navigation />
    </dialog>
  )
}
