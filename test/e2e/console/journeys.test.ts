/**
 * What people do in the console while the world goes on: databases fail, others edit the same record, sessions end,
 * connections break. One Berth with one database serves all tests.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../engine/until.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { containersOf, docker, type Service, uniqueName } from '../swarm.ts'
import { newPerson, signedIn, signIn, startBrowser, type TestBrowser } from './browser.ts'
import { administrator, type ConsoleBerth, startConsoleBerth } from './console-berth.ts'

const end = new AsyncDisposableStack()
after(() => end.disposeAsync())
let browser: TestBrowser
let berth: ConsoleBerth
let projectId: string
let token: string
let database: Service

before(async () => {
  browser = await startBrowser(end)
  berth = await startConsoleBerth(end)
  token = await berth.signIn()
  projectId = (await berth.ok<{ projectId: string }>('project.create', { name: 'shop' })).projectId
  const { postgresId } = await berth.ok<Service>('postgres.create', {
    ...{ name: 'orders', appName: uniqueName('orders'), projectId, dockerImage: 'postgres:17' },
    ...{ databaseName: 'shop', databaseUser: 'shop', databasePassword: '', externalPort: await freePort() },
  })
  await berth.ok('postgres.deploy', { postgresId }, { prefer: 'wait=120' })
  database = await berth.ok<Service>('postgres.one', { postgresId })
})

/** The state in the head of the database. */
const stateOf = (page: Page, state: string) => page.locator('header.head').getByText(state, { exact: true })

/** A property of the window that a reload would remove. */
const mark = (page: Page) => page.evaluate('window.isMarked = true')
async function assertNotReloaded(page: Page): Promise<void> {
  assert.equal(await page.evaluate('window.isMarked'), true)
}

test('a database that is killed from outside turns red and green again without a reload', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const { page } = await signedIn(person, `/databases/${database.postgresId}/state`)
  await stateOf(page, 'up').waitFor()
  await mark(page)

  // Swarm starts it again. After several deaths in a row Berth calls it down.
  await until('the database to be down', async () => {
    const [container] = await containersOf(database.appName)
    if (container !== undefined) await docker('kill', container).catch(() => undefined)
    return stateOf(page, 'down').isVisible()
  })
  await stateOf(page, 'up').waitFor({ timeout: 60_000 })

  await docker('service', 'scale', '--detach', `${database.appName}=0`)
  await stateOf(page, 'up').waitFor({ state: 'hidden' })
  await stateOf(page, 'up').waitFor({ timeout: 60_000 })
  await assertNotReloaded(page)
})

test('the second of two tabs that edit a record sees both versions, and then saves', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const first = await signedIn(person, `/projects/${projectId}`)
  const second = await person.open(`/projects/${projectId}`)
  for (const { page } of [first, second]) {
    await page.getByRole('button', { name: 'Rename or describe' }).click()
    await page.getByLabel('Description').waitFor()
  }
  await second.page.getByLabel('Description').fill('typed in the second tab')
  await first.page.getByLabel('Description').fill('typed in the first tab')
  await first.page.getByRole('button', { name: 'Save' }).click()
  await first.page.getByRole('dialog').waitFor({ state: 'hidden' })
  // The second tab shows the change behind the dialog. The field stays as it is.
  await second.page.getByRole('main').getByText('typed in the first tab').first().waitFor()
  assert.equal(await second.page.getByLabel('Description').inputValue(), 'typed in the second tab')

  second.expect(/status of 412 .*project\.update$/)
  const dialog = second.page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('typed in the first tab').waitFor()
  assert.equal(await dialog.getByLabel('Description').inputValue(), 'typed in the second tab')
  const description = async () => (await berth.ok('project.one', { projectId })).description
  assert.equal(await description(), 'typed in the first tab')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await description(), 'typed in the second tab')
})

test('a session that ends in mid-form loses nothing', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const tab = await signedIn(person, `/databases/${database.postgresId}/settings`)
  const { page } = tab
  await page.getByLabel('Description').fill('typed before the session ended')
  tab.expect(/status of 401/)
  await revokeSessions()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await signIn(page, administrator)
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  assert.equal(await page.getByLabel('Description').inputValue(), 'typed before the session ended')
  await page.getByRole('button', { name: 'Review the changes' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'The settings are saved' }).waitFor()
  const { description } = await berth.ok('postgres.one', { postgresId: database.postgresId })
  assert.equal(description, 'typed before the session ended')
})

/** Ends the sessions of the browser, which are all but that of the test. */
async function revokeSessions(): Promise<void> {
  const sessions = await berth.ok<{ sessionId: string; isCurrent: boolean }[]>('auth.sessions')
  for (const { sessionId, isCurrent } of sessions) {
    if (!isCurrent) await berth.ok('auth.revokeSession', { sessionId })
  }
}

const lostConnection = /No connection to Berth/

test('a page that was offline says so, and shows afterwards what it has missed', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const tab = await signedIn(person, '/projects')
  // Which of these Chromium reports depends on the instant at which the kill ends the connection.
  tab.expect(
    /ERR_(?:EMPTY_RESPONSE|CONNECTION_(?:REFUSED|RESET|CLOSED)|INCOMPLETE_CHUNKED_ENCODING|SOCKET_NOT_CONNECTED)/,
  )
  tab.expect(/ERR_INTERNET_DISCONNECTED|Failed to fetch/)
  const { page } = tab
  const notice = page.getByRole('status').filter({ hasText: lostConnection })
  await page.getByRole('link', { name: 'shop' }).first().waitFor()
  await mark(page)

  await berth.kill()
  await notice.waitFor()
  await berth.start()
  await berth.ok('project.create', { name: 'made-after-the-kill' })
  await page.getByRole('link', { name: 'made-after-the-kill' }).waitFor()
  await notice.waitFor({ state: 'hidden' })
  await assertNotReloaded(page)
})

test('three tabs share one stream of events', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  await until('the streams of earlier tests to end', async () => (await openStreams()) === 0)
  const first = await signedIn(person, '/projects')
  const others = [await person.open('/projects'), await person.open('/databases')]
  for (const tab of [first, ...others]) await tab.settled()
  await until('the stream', async () => (await openStreams()) > 0)
  assert.equal(await openStreams(), 1)
  // All of them show the change.
  await berth.ok('project.create', { name: 'seen-by-all' })
  for (const { page } of [first, others[0]!]) await page.getByRole('link', { name: 'seen-by-all' }).waitFor()
  // The stream goes on for the others when the first tab is closed.
  await first.page.close()
  await berth.ok('project.create', { name: 'seen-by-the-rest' })
  await others[0]!.page.getByRole('link', { name: 'seen-by-the-rest' }).waitFor()
  assert.equal(await openStreams(), 1)
})

async function openStreams(): Promise<number> {
  const metrics = await (await fetch(`${berth.base}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
  return Number(/^berth_event_streams (\d+)$/m.exec(metrics)![1])
}

test('a page of another port of the same host can neither sign in nor change nor read with the cookie', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const { page } = await signedIn(person)
  const projects = () => berth.ok<unknown[]>('project.all')
  const before = await projects()
  await using other = await startPage()
  await browser.forward(other.port)
  const tab = await person.open(`http://127.0.0.1:${other.port}/`)
  tab.expect(/CORS policy|ERR_FAILED|status of 4(?:0[13]|15)/)
  // What a page of another origin can send: forms and simple requests with the cookie, and those that need a preflight.
  const answers = await tab.page.evaluate<string[]>(`(${attack})(${JSON.stringify(berth.base)})`)
  assert.deepEqual(answers, Array(answers.length).fill('refused'))
  assert.deepEqual(await projects(), before)
  // The session still works for Berth's own page.
  await page.reload()
  await page.getByRole('navigation').first().waitFor()
})

/** Calls Berth in each way that a page has, with cookies. Tells whether it could read an answer. */
const attack = `async (base) => {
  const send = (name, options) =>
    fetch(base + '/api/' + name, { credentials: 'include', ...options }).then((answer) => answer.text(), () => 'refused')
  const json = { 'content-type': 'application/json' }
  const post = (name, input, headers) => send(name, { method: 'POST', body: JSON.stringify(input), headers })
  const blind = (name, input) => send(name, { method: 'POST', mode: 'no-cors', body: JSON.stringify(input) })
  const credentials = { email: 'ada@example.org', password: 'correct horse', cookie: true }
  await blind('project.create', { name: 'stolen' })
  await blind('auth.signIn', credentials)
  await blind('auth.logout', {})
  return Promise.all([
    send('project.all'),
    send('project.all', { headers: { 'berth-session': 'cookie' } }),
    send('events'),
    post('auth.signIn', credentials),
    post('auth.signIn', credentials, json),
    post('project.create', { name: 'stolen' }),
    post('project.create', { name: 'stolen' }, json),
    post('project.create', { name: 'stolen' }, { ...json, 'berth-session': 'cookie' }),
  ])
}`

/** Serves an empty page on a port of its own. */
async function startPage() {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<p>other</p>'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: async () => void server.close() }
}
