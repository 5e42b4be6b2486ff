/** Alerts in the browser: a channel to a real receiver, its test, the messages about a condition, and a mute. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerStatus, startReceiver } from '../../alerts/receiver.ts'
import { freePort, uniqueName } from '../swarm.ts'
import { assertAccessible } from './accessibility.ts'
import { newPerson, signedIn, startBrowser } from './browser.ts'
import { startConsoleBerth } from './console-berth.ts'

test('a person adds a channel, tests it, sees what was sent, and mutes a condition', async (t) => {
  await using end = new AsyncDisposableStack()
  const receiver = end.use(await startReceiver())
  const berth = await startConsoleBerth(end)
  await berth.signIn()
  const { projectId } = await berth.ok<{ projectId: string }>('project.create', { name: 'shop' })
  const cache = { name: 'cache', appName: uniqueName('cache'), projectId, databasePassword: '' }
  const externalPort = await freePort()
  const { redisId } = await berth.ok<{ redisId: string }>('redis.create', { ...cache, externalPort })
  await berth.ok('redis.deploy', { redisId }, { prefer: 'wait=120' })
  const person = await newPerson(t, await startBrowser(end), berth.base)
  const tab = await signedIn(person, '/alerts')
  const { page } = tab
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')

  await page.getByRole('heading', { name: 'Nobody is told yet' }).waitFor()
  await button('Add a channel').click()
  await dialog.getByLabel('Name', { exact: true }).fill('ops')
  await dialog.getByLabel('URL', { exact: true }).fill('ftp://example.org')
  await dialog.getByLabel('Messages about').selectOption('everything')
  await dialog.getByRole('button', { name: 'Add the channel' }).click()
  await dialog.getByText('must be a URL with http').waitFor()
  tab.expect(/status of 400 .*channel\.create$/)
  await assertAccessible(tab, 'alerts-new-channel', { selector: 'dialog[open]', isBrief: true })
  await dialog.getByLabel('URL', { exact: true }).fill(receiver.url)
  await dialog.getByRole('button', { name: 'Add the channel' }).click()
  await dialog.getByText(/^whsec_/).waitFor()
  await dialog.getByRole('button', { name: 'I have stored it' }).click()

  // The database has a published port without a list of sources.
  await page.getByText('Open to everyone').waitFor()
  await page.getByText('accepted', { exact: false }).first().waitFor()
  await assertAccessible(tab, 'alerts-messages')
  assert.equal(receiver.received[0]!.type, 'alert.raised')
  // The end of a condition soon after its message is held back, and the message says so.
  await berth.ok('redis.update', { redisId, allowedSources: ['10.0.0.0/8'] })
  await page.getByText(/^It has ended. This is reported in \d+ min/).waitFor()
  await assertAccessible(tab, 'alerts-postponed', { isBrief: true })
  await berth.ok('redis.update', { redisId, allowedSources: [] })

  await page.getByRole('link', { name: 'Channels', exact: true }).click()
  await page.getByText('messages arrive').waitFor()
  await button('Send a test message').click()
  await page.getByText(/accepted the message/).waitFor()
  assert.equal(receiver.received.at(-1)!.type, 'alert.test')
  receiver.answerWith(answerStatus(500))
  tab.expect(/status of 502 .*channel\.test$/)
  await button('Send a test message').click()
  await page.getByText(/HTTP status 500: not now/).waitFor()
  await assertAccessible(tab, 'alerts-channels')

  await button('Change').click()
  await dialog.getByLabel('Name', { exact: true }).fill('team')
  await dialog.getByLabel('Conditions', { exact: true }).selectOption('some')
  await dialog.getByLabel('Proxy is down').check()
  await assertAccessible(tab, 'alerts-change-channel', { selector: 'dialog[open]', isBrief: true })
  await dialog.getByRole('button', { name: 'Save the channel' }).click()
  await page.getByRole('heading', { name: 'team' }).waitFor()
  const [channel] = await berth.ok<{ name: string; conditions: string[] }[] & Record<string, unknown>>('channel.all')
  assert.deepEqual([channel!.name, channel!.conditions], ['team', ['ProxyDown']])

  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await button('Mute').first().click()
  await dialog.getByLabel('How long').selectOption('until a date')
  await dialog.getByLabel('Until the beginning of').fill(dayFromNow(3))
  await assertAccessible(tab, 'alerts-mute', { selector: 'dialog[open]', isBrief: true })
  await dialog.getByRole('button', { name: 'Mute' }).click()
  await page.getByText('muted, messages again').waitFor()
  await page.goto('/alerts/muted')
  await page.getByText(/^in (?:2|3) days/).waitFor()
  await assertAccessible(tab, 'alerts-muted')
  await button('Send messages again').click()
  await dialog.getByRole('button', { name: 'Send messages again' }).click()
  await page.getByRole('heading', { name: 'Nothing is muted' }).waitFor()

  await page.goto('/alerts/channels')
  await button('Remove').click()
  await dialog.getByLabel(/^Type /).fill('team')
  await dialog.getByRole('button', { name: 'Remove the channel' }).click()
  await page.getByRole('heading', { name: 'Nobody is told yet' }).waitFor()
})

/** A date as the browser's field takes it. */
function dayFromNow(days: number): string {
  return new Date(Date.now() + days * 24 * 3600_000).toISOString().slice(0, 10)
}
