/** The frame of the console: navigation, top bar, the screen. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Route, Switch, useLocation } from 'wouter-preact'
import { Button, LinkButton } from '../components/button.tsx'
import { MenuIcon, SearchIcon } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { isReachable } from '../data/api.ts'
import { isLive } from '../data/live/events.ts'
import { useQuery } from '../data/live/query.ts'
import { isAdmin, session } from '../data/session.ts'
import { type RouteDeclaration, routes } from '../routes.ts'
import { MenuDrawer, Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { SignInAgain } from './sign-in-again.tsx'

export function Shell() {
  const isMenuOpen = useSignal(false)
  const isPaletteOpen = useSignal(false)
  const [path] = useLocation()
  useEffect(() => {
    isMenuOpen.value = false
    scrollTo(0, 0)
  }, [path])
  usePaletteKey(() => (isPaletteOpen.value = true))
  const present = session.value
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <aside class="side" aria-label="Navigation and account">
          <Navigation />
        </aside>
        <div>
          <TopBar onMenu={() => (isMenuOpen.value = true)} onPalette={() => (isPaletteOpen.value = true)} />
          <main class="main" id="main" tabIndex={-1}>
            <HeldBack />
            <Screens />
          </main>
        </div>
      </div>
      {isMenuOpen.value && <MenuDrawer onClose={() => (isMenuOpen.value = false)} />}
      {isPaletteOpen.value && <Palette onClose={() => (isPaletteOpen.value = false)} />}
      {present.state === 'signedIn' && present.hasEnded && <SignInAgain present={present.account} />}
    </>
  )
}

function TopBar({ onMenu, onPalette }: { onMenu: () => void; onPalette: () => void }) {
  return (
    <header class="top">
      <span class="open-menu-box">
        <Button label="Menu" onClick={onMenu}>
          <MenuIcon />
          Menu
        </Button>
      </span>
      <Connection />
      <div class="top-end">
        <Button onClick={onPalette}>
          <SearchIcon />
          Go to <kbd>Ctrl K</kbd>
        </Button>
      </div>
    </header>
  )
}

/** The conditions during which Berth changes nothing. */
const heldBackNames: readonly string[] = ['StateUnconfirmed', 'NotInCharge', 'UpgradeUnconfirmed']

/** Says above each screen why Berth changes nothing, and what to do. */
function HeldBack() {
  const conditions = useQuery('condition.all', {}).data.value ?? []
  const condition = conditions.find(({ name }) => heldBackNames.includes(name))
  if (condition === undefined) return null
  return (
    <Notice tone="critical" announce>
      <p>
        <strong>Berth changes nothing now.</strong> {condition.reason}.
      </p>
    </Notice>
  )
}

function usePaletteKey(open: () => void) {
  useEffect(() => {
    const keyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', keyDown)
    return () => removeEventListener('keydown', keyDown)
  }, [])
}

const Screens = () => (
  <Switch>
    {routes.map((route) => (
      <Route key={route.path} path={route.path}>
        {(parameters) => <Screen route={route} parameters={parameters as Record<string, string>} />}
      </Route>
    ))}
    <Route>
      <NoSuchPage />
    </Route>
  </Switch>
)

function Screen({ route, parameters }: { route: RouteDeclaration; parameters: Record<string, string> }) {
  if (route.isForAdmins && !isAdmin()) {
    return (
      <Page title={route.nav!.text}>
        <Notice tone="warning">
          <p>
            <strong>Only administrators can use this screen.</strong>
          </p>
          <p>Your account has the role user. An administrator can change it under People.</p>
        </Notice>
      </Page>
    )
  }
  const { screen: RouteScreen } = route
  // Another record is another screen: its forms begin anew. The router gives each parameter by its number, too.
  const identity = Object.entries(parameters).filter(([name]) => name !== 'tab' && !/^\d/.test(name))
  return <RouteScreen key={JSON.stringify(identity)} {...parameters} />
}

/** Whether the page is up to date. */
function Connection() {
  const isLost = !isReachable.value || isLive.value === false
  return (
    <div role="status">
      {isLost && (
        <span class="state warning">
          No connection to Berth. The page shows the last known state and connects again by itself.
        </span>
      )}
    </div>
  )
}

const NoSuchPage = () => (
  <Page title="There is no such page">
    <p>The address may be misspelt, or it belongs to something that was removed.</p>
    <LinkButton href="/">Go to the overview</LinkButton>
  </Page>
)
