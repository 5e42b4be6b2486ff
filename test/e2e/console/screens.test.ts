/**
 * Every screen in every state, in light and dark, on a wide window and on a phone: axe finds nothing, and no screen
 * scrolls sideways.
 */
import { after, before, describe, test } from 'node:test'
import type { Browser, Route } from 'playwright-core'
import { assertAccessible } from './accessibility.ts'
import { newPerson, type Person, signedIn, startBrowser, type Tab } from './browser.ts'
import { administrator, type ConsoleBerth, startConsoleBerth } from './console-berth.ts'
import { createRecords, type Records, user } from './records.ts'
import { addressOf, type Screen, screens } from './screens.ts'

const end = new AsyncDisposableStack()
after(() => end.disposeAsync())
let browser: Browser
let berth: ConsoleBerth
let records: Records | null = null
before(async () => {
  browser = await startBrowser(end)
  berth = await startConsoleBerth(end, { hasProxy: true })
})

/** Shows a screen and checks it. The name of the state is part of the names of the screenshots. */
async function check(tab: Tab, screen: Screen, state: string): Promise<void> {
  await tab.page.goto(addressOf(screen, records)!)
  await assertAccessible(tab, state === '' ? screen.name : `${screen.name}-${state}`)
}

describe('before anybody has signed in', () => {
  test('the first start', async () => {
    await using person = await newPerson(browser, berth.base)
    await assertAccessible(await person.open('/'), 'first-start')
  })

  test('the sign-in, with a wrong password', async () => {
    await berth.signIn()
    await using person = await newPerson(browser, berth.base)
    const tab = await person.open('/')
    await assertAccessible(tab, 'sign-in')
    tab.expect(/status of 401 .*auth\.signIn$/)
    await tab.page.getByLabel('E-mail').fill(administrator.email)
    await tab.page.getByLabel('Password', { exact: true }).fill('wrong horse')
    await tab.page.getByRole('button', { name: 'Sign in' }).click()
    await tab.page.getByRole('alert').waitFor()
    await assertAccessible(tab, 'sign-in-refused')
  })

  test('an invitation, and an address without one', async () => {
    await using person = await newPerson(browser, berth.base)
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
      tab = await begin(stack.use(await newPerson(browser, berth.base)))
    })
    after(() => stack.disposeAsync())
    for (const screen of screens.filter(chosen)) test(screen.name, () => check(tab, screen, state))
  })
}

const isAboutRecord = ({ path }: Screen) => path.includes(':')

describeScreens(
  'empty',
  'an installation without records',
  (person) => signedIn(person),
  (it) => !isAboutRecord(it),
)

describeScreens('', 'an installation with records', async (person) => {
  records = await createRecords(end, berth)
  return signedIn(person)
})

describe('dialogs and forms', () => {
  let tab: Tab
  const stack = new AsyncDisposableStack()
  before(async () => {
    tab = await signedIn(stack.use(await newPerson(browser, berth.base)))
  })
  after(() => stack.disposeAsync())
  for (const screen of screens) {
    for (const [number, name] of (screen.opens ?? []).entries()) {
      test(`${screen.name}: ${name}`, async () => {
        await tab.page.goto(addressOf(screen, records)!)
        await tab.settled()
        await tab.page.getByRole('button', { name, exact: true }).first().click()
        await assertAccessible(tab, `${screen.name}-dialog-${number + 1}`)
      })
    }
  }
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
