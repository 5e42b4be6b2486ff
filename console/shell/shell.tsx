/** The frame of the console: navigation, top bar, the screen. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Route, Switch, useLocation } from 'wouter-preact'
import { Button, LinkButton } from '../components/button.tsx'
import { MenuIcon, SearchIcon } from '../components/icons.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { whyClosed } from '../data/access/rights.ts'
import { isReachable } from '../data/api.ts'
import { isLive } from '../data/live/events.ts'
import { session } from '../data/session.ts'
import { type RouteDeclaration, routes } from '../routes.ts'
import { CodeQuestionDialog } from './code-question.tsx'
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
            <Screens />
          </main>
        </div>
      </div>
      {isMenuOpen.value && <MenuDrawer onClose={() => (isMenuOpen.value = false)} />}
      {isPaletteOpen.value && <Palette onClose={() => (isPaletteOpen.value = false)} />}
      <CodeQuestionDialog />
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

const closedTexts = {
  admin: [
    'Only administrators can use this screen.',
    'Your account has the role user. An administrator can change it under People.',
  ],
  allProjects: [
    'This screen needs an account that reaches all projects.',
    'Your account reaches the projects of which it is a member. An administrator can change it under People.',
  ],
} as const

function Screen({ route, parameters }: { route: RouteDeclaration; parameters: Record<string, string> }) {
  const why = whyClosed(route)
  if (why !== null) {
    return (
      <Page title={route.nav?.text ?? 'Not allowed'}>
        <Notice tone="warning">
          <p>
            <strong>{closedTexts[why][0]}</strong>
          </p>
          <p>{closedTexts[why][1]}</p>
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
