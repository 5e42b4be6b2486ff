/** Backups in the browser: a backup, its proof by a verification, and a restore into a new and into the same database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memorySftp } from '../../backups/memory-sftp.ts'
import { startStorage } from '../storage.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { type Service, sql, uniqueName } from '../swarm.ts'
import { newPerson, signedIn, startBrowser } from './browser.ts'
import { startConsoleBerth } from './console-berth.ts'

test('a person backs up a database, verifies the dump and restores it', async (t) => {
  await using end = new AsyncDisposableStack()
  const storage = end.use(await startStorage())
  storage.makeBucket('backups')
  const server = end.use(await memorySftp())
  const berth = await startConsoleBerth(end)
  await berth.signIn()
  const { projectId } = await berth.ok<{ projectId: string }>('project.create', { name: 'shop' })
  const { postgresId } = await berth.ok<Service>('postgres.create', {
    ...{ name: 'orders', appName: uniqueName('orders'), projectId, dockerImage: 'postgres:17' },
    ...{ databaseName: 'shop', databaseUser: 'shop', databasePassword: '', externalPort: await freePort() },
  })
  await berth.ok('postgres.deploy', { postgresId }, { prefer: 'wait=120' })
  const { appName, connection } = await berth.ok<Service>('postgres.one', { postgresId })
  await sql(connection.externalUrl, "create table orders as select 'kept' as text")
  const settings = storage.settings('backups')

  const browser = await startBrowser(end)
  const person = await newPerson(t, browser, berth.base)
  const tab = await signedIn(person, '/destinations')
  // The screen asks for the backup of Berth's own state, which this installation has not.
  tab.expect(/status of 404 .*\/api\/state\.one$/)
  const { page } = tab
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')

  await button('Add a destination').first().click()
  await dialog.getByLabel('Name', { exact: true }).fill('Storage')
  await dialog.getByLabel('Endpoint').fill(settings.endpoint)
  await dialog.getByLabel('Region').fill(settings.region)
  await dialog.getByLabel('Bucket').fill(settings.bucket)
  await dialog.getByLabel('Access key id').fill(settings.accessKey)
  await dialog.getByLabel('Secret access key', { exact: true }).fill(settings.secretAccessKey)
  await dialog.getByRole('button', { name: /^Add/ }).click()
  await dialog.waitFor({ state: 'hidden' })

  await button('Add a destination').first().click()
  await dialog.getByLabel('Kind').selectOption('sftp')
  await dialog.getByLabel('Name', { exact: true }).fill('Server')
  await dialog.getByLabel('Host', { exact: true }).fill(`127.0.0.1:${server.settings.port}`)
  await dialog.getByLabel('Folder').fill(server.settings.folder)
  await dialog.getByLabel('User').fill(server.settings.user)
  await dialog.getByLabel('Password or private key', { exact: true }).fill(server.settings.secret)
  await dialog.getByRole('button', { name: 'Test these values' }).click()
  await dialog.getByRole('button', { name: 'The server has this key' }).click()
  assert.equal(await dialog.getByLabel('Host key').inputValue(), server.settings.hostKey)
  await dialog.getByRole('button', { name: /^Add/ }).click()
  await dialog.waitFor({ state: 'hidden' })

  await page.goto(`/databases/${postgresId}/backups`)
  await button('Schedule a backup').click()
  await dialog.getByLabel('Destination').selectOption({ label: 'Storage (bucket backups)' })
  await dialog.getByRole('button', { name: 'Schedule the backup' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await button('Back up now').click()
  const runs = page.locator('li.run')
  await runs.filter({ hasText: 'Dump' }).filter({ hasText: 'read back' }).waitFor({ timeout: 60_000 })
  await button('Verify the last dump').click()
  await runs.filter({ hasText: 'Dump' }).filter({ hasText: 'verified by a restore' }).waitFor({ timeout: 60_000 })

  await sql(connection.externalUrl, 'drop table orders')
  await button('Restore the last dump …').click()
  await dialog.getByLabel('Restore into').selectOption('same')
  await dialog.getByLabel(/^Type /).fill(appName)
  await dialog.getByRole('button', { name: /^Replace the data/ }).click()
  await page.getByRole('heading', { name: 'The restore has begun' }).waitFor()
  await page.keyboard.press('Escape')
  await runs
    .filter({ has: page.locator('strong', { hasText: /Restore$/ }) })
    .filter({ hasText: 'succeeded' })
    .waitFor({ timeout: 60_000 })
  assert.deepEqual(await sql(connection.externalUrl, 'select text from orders'), [{ text: 'kept' }])

  await button('Restore the last dump …').click()
  await dialog.getByRole('button', { name: 'Restore into a new database' }).click()
  await dialog.getByRole('link', { name: 'Go to the new database' }).click()
  await page.locator('header.head .state').filter({ hasText: /^up$/ }).first().waitFor({ timeout: 60_000 })
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.notEqual(new URL(page.url()).pathname, `/databases/${postgresId}/backups`)
})
