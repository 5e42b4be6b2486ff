/** The reference page in a real Chromium: its colours, its contents by keyboard, and what axe finds. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../../engine/until.ts'
import { assertAccessible } from './accessibility.ts'
import { newPerson, signedIn, startBrowser, type TestBrowser } from './browser.ts'
import { type ConsoleBerth, startConsoleBerth } from './console-berth.ts'

const end = new AsyncDisposableStack()
after(() => end.disposeAsync())
let browser: TestBrowser
let berth: ConsoleBerth
before(async () => {
  browser = await startBrowser(end)
  berth = await startConsoleBerth(end)
  await berth.signIn()
})

const phone = { viewport: { width: 360, height: 740 } }

test('the reference page is accessible in light, in dark and on a phone', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  await assertAccessible(await person.open('/docs'), 'reference')
})

test('the table of access scrolls by keyboard on a phone', async (t) => {
  const person = await newPerson(t, browser, berth.base, phone)
  const { page } = await person.open('/docs#access')
  await page.getByText(/^All \d+ operations$/).click()
  const table = page.getByRole('region', { name: 'Which token can call which operation' })
  // A key that arrives while the page still lays out the opened table is lost.
  await until('the table to scroll', async () => {
    await table.press('ArrowRight')
    return page.evaluate<boolean>("document.querySelector('.table-wrap').scrollLeft > 0")
  })
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), phone.viewport.width)
})

test('the reference page has the colours chosen in the console, and changes with them', async (t) => {
  const person = await newPerson(t, browser, berth.base, { colorScheme: 'light' })
  const console = await signedIn(person)
  const reference = await person.open('/docs')
  const scheme = () => reference.page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')
  const isNow = (expected: string) => until(`the colours ${expected}`, async () => (await scheme()) === expected)
  assert.equal(await scheme(), 'light dark')
  await console.page.getByLabel('Colours').selectOption('dark')
  await isNow('dark')
  await reference.page.reload()
  assert.equal(await scheme(), 'dark')
  await console.page.getByLabel('Colours').selectOption('as the system')
  await isNow('light dark')
})

test('the contents lead to an operation by keyboard, and a link leads back to the console', async (t) => {
  const person = await newPerson(t, browser, berth.base, phone)
  const { page } = await person.open('/docs')
  const menu = page.getByRole('button', { name: 'Contents' })
  const search = page.getByRole('searchbox', { name: 'Find an operation' })
  assert.equal(await search.isVisible(), false)
  await menu.press('Enter')
  await search.pressSequentially('nothing like this')
  await page.getByText('Nothing found').waitFor()
  await search.press('Escape')
  assert.equal(await search.isVisible(), false)
  await menu.press('Enter')
  await search.fill('gres.deploy')
  await page.getByText('1 found').waitFor()
  await search.press('Enter')
  assert.equal(new URL(page.url()).hash, '#postgres.deploy')
  assert.equal(await menu.getAttribute('aria-expanded'), 'false')
  assert.ok(await page.getByRole('heading', { name: 'postgres.deploy' }).isVisible())
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await page.getByLabel('E-mail').waitFor()
})

test('the form of an example is chosen by the arrow keys, for all examples, and remembered', async (t) => {
  const person = await newPerson(t, browser, berth.base)
  const { page } = await person.open('/docs#postgres.deploy')
  const tabsOf = (id: string) => page.locator(`[id="${id}"]`).getByRole('tab', { selected: true })
  await tabsOf('postgres.deploy').press('ArrowRight')
  assert.equal(await tabsOf('mysql.deploy').textContent(), 'TypeScript')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'TypeScript')
  await page.reload()
  assert.equal(await tabsOf('begin').textContent(), 'TypeScript')
})
