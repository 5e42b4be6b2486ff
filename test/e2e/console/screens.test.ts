/**
 * Every screen in every state, in light and dark, on a wide window and on a phone: axe finds nothing, and no screen
 * scrolls sideways.
 */
import { after, before, describe, test } from 'node:test'
import type { Route } from 'playwright-core'
import { assertAccessible } from './accessibility.ts'
import { checkDialogs } from './dialogs.ts'
import { newPerson, type Person, signedIn, startBrowser, type Tab, type TestBrowser } from './browser.ts'
import { administrator, type ConsoleBerth, startConsoleBerth } from './console-berth.ts'
import { createRecords, type Records, user } from './records.ts'
import { addressOf, type Screen, screens } from './screens.ts'

const end = new AsyncDisposableStack()
after(() => end.disposeAsync())
let browser: TestBrowser
let berth: ConsoleBerth
let records: Records | null = null
before(async () => {
  browser = await startBrowser(end)
  berth = await startConsoleBerth(end, { hasProxy: true })
})

/** Shows a screen and checks it. The name of the state is part of the names of the screenshots. */
async function check(tab: Tab, screen: Screen, state: string): Promise<void> {
  await tab.page.goto(addressOf(screen, records)!)
  await assertAccessible(tab, state === '' ? screen.name : `${screen.name}-${state}`, { isBrief: state !== '' })
}

describe('before anybody has signed in', () => {
  test('the first start', async (t) => {
    const person = await newPerson(t, browser, berth.base)
    await assertAccessible(await person.open('/'), 'first-start')
  })

  test('the sign-in, with a wrong password', async (t) => {
    await berth.signIn()
    const person = await newPerson(t, browser, berth.base)
    const tab = await person.open('/')
    await assertAccessible(tab, 'sign-in')
    tab.expect(/status of 401 .*auth\.signIn$/)
    await tab.page.getByLabel('E-mail').fill(administrator.email)
    await tab.page.getByLabel('Password', { exact: true }).fill('wrong horse')
    await tab.page.getByRole('button', { name: 'Sign in' }).click()
    await tab.page.getByRole('alert').waitFor()
    await assertAccessible(tab, 'sign-in-refused')
  })

  test('an invitation, and an address without one', async (t) => {
    const person = await newPerson(t, browser, berth.base)
    const { id, token } = await berth.ok<{ id: string; token: string }>('user.invite', { email: 'dan@example.org' })
    await assertAccessible(await person.open(`/invitation#${id}.${token}`), 'invitation')
    await assertAccessible(await person.open('/invitation'), 'invitation-without-secret')
  })
})

/** Tests of screens that share one tab. `begin` prepares it. */
function describeScreens(
  state: string,
  text: string,
  begin: (person: Person) => Promise<Tab>,
  chosen: (screen: Screen) => boolean = () => true,
) {
  describe(text, () => {
    let tab: Tab
    const stack = new AsyncDisposableStack()
    before(async () => {
      tab = await begin(await newPerson({ after: (close) => stack.defer(close) }, browser, berth.base))
    })
    after(() => stack.disposeAsync())
    for (const screen of screens.filter(chosen)) test(screen.name, () => check(tab, screen, state))
  })
}

const isAboutRecord = ({ path }: Screen) => path.includes(':')

describeScreens(
  'empty',
  'an installation without records',
  async (person) => {
    const tab = await signedIn(person)
    // Backups of Berth's own state have no schedule yet.
    tab.expect(/status of 404 .*\/api\/state\.one$/)
    return tab
  },
  (screen) => !isAboutRecord(screen),
)

describeScreens('', 'an installation with records', async (person) => {
  records = await createRecords(end, berth)
  return signedIn(person)
})

describe('dialogs of the screens', () => {
  let tab: Tab
  const stack = new AsyncDisposableStack()
  before(async () => {
    tab = await signedIn(await newPerson({ after: (close) => stack.defer(close) }, browser, berth.base))
  })
  after(() => stack.disposeAsync())
  for (const screen of screens) test(screen.name, () => checkDialogs(tab, screen.name, addressOf(screen, records)!))
})

/** All calls of screens, but not those about the session. */
const calls = /\/api\/(?!auth\.(?:get|signIn))\w+\.\w+(?:\?|$)/

describeScreens('failed', 'Berth fails', async (person) => {
  const tab = await signedIn(person)
  tab.expect(/status of 500/)
  const fail = (route: Route) =>
    route.fulfill({ status: 500, json: { message: 'Internal error', code: 'INTERNAL_SERVER_ERROR', issues: [] } })
  await person.context.route(calls, fail)
  return tab
})

describeScreens('refused', 'a person who is no administrator', (person) => signedIn(person, '/', user))
