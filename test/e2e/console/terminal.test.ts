/** The terminal of a database in a real Chromium: a session with psql, its end, and who cannot open one. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../engine/until.ts'
import { docker, uniqueName } from '../swarm.ts'
import { assertAccessible } from './accessibility.ts'
import { newPerson, signedIn, startBrowser, type TestBrowser } from './browser.ts'
import { type ConsoleBerth, startConsoleBerth } from './console-berth.ts'

const end = new AsyncDisposableStack()
after(() => end.disposeAsync())
let browser: TestBrowser
let berth: ConsoleBerth
let postgresId: string

before(async () => {
  browser = await startBrowser(end)
  berth = await startConsoleBerth(end)
  await berth.signIn()
  const { projectId } = await berth.ok<{ projectId: string }>('project.create', { name: 'shop' })
  const database = await berth.ok<{ postgresId: string }>('postgres.create', {
    ...{ name: 'orders', appName: uniqueName('orders'), projectId, dockerImage: 'postgres:17' },
    ...{ databaseName: 'shop', databaseUser: 'shop', databasePassword: '' },
  })
  postgresId = database.postgresId
  await berth.ok('postgres.deploy', { postgresId }, { prefer: 'wait=120' })
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const stateOf = (page: Page, text: string) => page.locator('.terminal-foot').getByText(text, { exact: true })
const rowsOf = (page: Page) => page.locator('.xterm-rows')

/** Opens a terminal and waits for the prompt. */
async function openTerminal(page: Page): Promise<void> {
  await button(page, 'Open a terminal').click()
  await waitForPrompt(page)
}

async function waitForPrompt(page: Page) {
  await stateOf(page, 'connected').waitFor()
  await rowsOf(page).getByText('shop=#').last().waitFor()
}

async function run(page: Page, line: string): Promise<void> {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

/** The containers of sessions with the database. */
const sessionContainers = () =>
  docker('ps', '--all', '--quiet', '--filter', 'name=berth-session-', '--filter', `label=berth.job=${postgresId}`)

test('a person queries the database, copies, pastes, changes the window and ends the session', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  await person.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const tab = await signedIn(person, `/databases/${postgresId}/terminal`)
  const { page } = tab
  await openTerminal(page)
  await run(page, 'select 6*7;')
  await rowsOf(page)
    .getByText(/^ +42$/)
    .waitFor()
  assert.equal((await sessionContainers()).length, 1)

  // The client knows the size of the window, and its changes.
  const sizes = async () => {
    await run(page, '\\! echo size $(stty size)')
    return rowsOf(page)
      .getByText(/^size \d+ \d+$/)
      .last()
      .textContent()
  }
  const wide = await sizes()
  await page.setViewportSize({ width: 700, height: 500 })
  await until('the client to know the new size', async () => (await sizes()) !== wide)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.evaluate("navigator.clipboard.writeText('select 40+3 as pasted;')")
  await page.keyboard.press('Control+V')
  await page.keyboard.press('Enter')
  await rowsOf(page)
    .getByText(/^ +43$/)
    .waitFor()
  await rowsOf(page)
    .getByText(/^ +pasted/)
    .dblclick({ force: true })
  await page.keyboard.press('Control+C')
  await until('the copy', async () => (await page.evaluate('navigator.clipboard.readText()')) === 'pasted')
  await page.getByLabel('Screen reader mode').check()
  await page.getByRole('listitem').filter({ hasText: '43' }).waitFor()
  await assertAccessible(tab, 'terminal-connected')

  await page.locator('.terminal-screen').click()
  await page.keyboard.press('F6')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'End the session')
  await page.keyboard.press('Enter')
  await stateOf(page, 'ended by you').waitFor()
  await until('the container to be removed', async () => (await sessionContainers()).length === 0)
})

test('a client that ends tells its exit code, and a new session begins in the same terminal', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const { page } = await signedIn(person, `/databases/${postgresId}/terminal`)
  await openTerminal(page)
  await run(page, '\\q')
  await stateOf(page, 'ended').waitFor()
  // The keys of the console work again.
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Open a new session')
  await page.keyboard.press('Enter')
  await stateOf(page, 'connected').waitFor()
  // The session goes on behind another tab of the database.
  await page.getByRole('link', { name: 'Metrics' }).click()
  await page.getByRole('link', { name: 'Terminal' }).click()
  await page.locator('.terminal-screen').click()
  await run(page, "select 'still ' || 'here';")
  await rowsOf(page)
    .getByText(/^ still here/)
    .waitFor()

  const [container] = await sessionContainers()
  await docker('kill', container!)
  await stateOf(page, 'ended with exit code 137').waitFor()
  await until('the container to be removed', async () => (await sessionContainers()).length === 0)
})

test('a session ends when the person leaves the database', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const { page } = await signedIn(person, `/databases/${postgresId}/terminal`)
  await openTerminal(page)
  await page.getByRole('link', { name: 'Projects' }).click()
  await until('the container to be removed', async () => (await sessionContainers()).length === 0)
})

test('a page of another port of the same host cannot open a session with the cookie', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  await signedIn(person)
  await using other = await startPage()
  await browser.forward(other.port)
  const tab = await person.open(`http://127.0.0.1:${other.port}/`)
  tab.expect(/WebSocket connection to .* failed: .* Unexpected response code: 403/)
  const url = `${berth.base.replace('http', 'ws')}/api/database.openSession?databaseId=${postgresId}&mode=client`
  const outcome = await tab.page.evaluate<string>(`(${open})(${JSON.stringify(url)})`)
  assert.equal(outcome, 'refused')
  assert.deepEqual(await sessionContainers(), [])
})

/** Opens a session. Tells whether it was opened. */
const open = `(url) => new Promise((resolve) => {
  const socket = new WebSocket(url, 'berth.session.v1')
  socket.onopen = () => resolve('opened')
  socket.onclose = () => resolve('refused')
})`

/** Serves an empty page on a port of its own. */
async function startPage() {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<p>other</p>'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: async () => void server.close() }
}

test('a session that Berth refuses tells why', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const tab = await signedIn(person, `/databases/${postgresId}/terminal`)
  const { page } = tab
  tab.expect(/WebSocket connection to .* failed/, /status of 412 .*openSession/)
  await openTerminal(page)
  await button(page, 'End the session').click()
  await berth.ok('postgres.stop', { postgresId }, { prefer: 'wait=120' })
  await button(page, 'Open a new session').click()
  await page
    .getByRole('alert')
    .getByText(/does not run|is stopped|not running/)
    .waitFor()
  await assertAccessible(tab, 'terminal-refused', { isBrief: true })
  await page.reload()
  assert.equal(await button(page, 'Open a terminal').getAttribute('aria-disabled'), 'true')
})
