/** The first start in the browser: from the installation token to a connection string that works. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../fixtures/free-port.ts'
import { sql } from '../swarm.ts'
import { newPerson, startBrowser } from './browser.ts'
import { administrator, startConsoleBerth } from './console-berth.ts'

test('a person goes from the installation token to a connection string that works', async (t) => {
  await using end = new AsyncDisposableStack()
  const berth = await startConsoleBerth(end)
  const browser = await startBrowser(end)
  const person = await newPerson(t, browser, berth.base)
  const tab = await person.open('/')
  const { page } = tab
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.getByRole('heading', { name: 'Welcome to Berth' }).waitFor()

  // A wrong token is refused at its field, and nothing that was typed is lost.
  tab.expect(/status of 401 .*auth\.createAdmin$/)
  await page.getByLabel('Installation token', { exact: true }).fill('a wrong token')
  await page.getByLabel('Your e-mail').fill(administrator.email)
  await page.getByLabel('Choose a password', { exact: true }).fill(administrator.password)
  await button('Create the administrator').click()
  await page.getByText('A token is one word').waitFor()
  await page.getByLabel('Installation token', { exact: true }).fill('another-wrong-token')
  await button('Create the administrator').click()
  await page.getByText('is not the installation token of this Berth').waitFor()
  await page.getByLabel('Installation token', { exact: true }).fill(berth.installationToken())
  await button('Create the administrator').click()

  await page.getByRole('heading', { name: 'Protect your account' }).waitFor()
  await button('Not now').click()
  await page.getByRole('heading', { name: 'Your first project and database' }).waitFor()
  // The quick start of the README creates shop/orders on the same swarm.
  await page.getByLabel('Project').fill('kiosk')
  await page.getByLabel('Image').selectOption('postgres:17')
  await page.getByLabel('Who reaches it').selectOption('outside')
  await page.getByLabel('Port', { exact: true }).fill(String(await freePort()))
  await button('Create and start the database').click()
  await page.getByText('Fetching the image').or(page.getByText('The database is up')).first().waitFor()
  await page.getByText('The database is up').waitFor({ timeout: 60_000 })
  await button('Show the external URL').click()
  const shown = page.locator('.inline-copy').filter({ has: button('Hide the external URL') })
  const url = (await shown.locator('code').textContent())!
  const [row] = await sql(url, 'select current_database() as name')
  assert.ok(row!.name)

  await button('Go to the overview').click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
})
