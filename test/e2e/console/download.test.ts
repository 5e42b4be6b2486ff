/** The download of a dump in the browser: a link that the browser saves itself, by the cookie of the session. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { insertDump } from '../../backups/backups.ts'
import { memoryBucket } from '../../backups/memory-bucket.ts'
import { installationToken, startBerth } from '../../fixtures/harness.ts'
import { newPerson, signedIn, startBrowser } from './browser.ts'
import { administrator } from './console-berth.ts'

test('a person downloads a dump in the console, and makes a URL of it', async (t) => {
  await using end = new AsyncDisposableStack()
  const bucket = end.use(await memoryBucket())
  const berth = end.use(await startBerth())
  const { body: account } = await berth.call('auth.createAdmin', { ...administrator }, installationToken)
  assert.ok(account.account !== undefined, JSON.stringify(account))
  const { body: project } = await berth.call<{ projectId: string }>('project.create', { name: 'shop' })
  const { body: service } = await berth.call<{ postgresId: string }>('postgres.create', {
    ...{ name: 'orders', appName: 'orders', projectId: project.projectId, dockerImage: 'postgres:17' },
    ...{ databaseName: 'shop', databaseUser: 'shop', databasePassword: '' },
  })
  const { body: destination } = await berth.call<{ destinationId: string }>('destination.create', {
    name: 'bucket',
    ...bucket.settings,
  })
  const links = { databaseId: service.postgresId, destinationId: destination.destinationId }
  const { body: backup } = await berth.call<{ backupId: string }>('backup.create', {
    ...{ databaseType: 'postgres', postgresId: service.postgresId, destinationId: destination.destinationId },
    ...{ database: 'shop', prefix: 'nightly', schedule: '@daily' },
  })
  const content = randomBytes(300_000)
  const key = 'nightly/orders/shop/20261122T030000Z-it.dump.zst'
  bucket.objects.set(key, content)
  const at = berth.app.now().toISOString()
  await insertDump(
    { app: berth.app, now: berth.app.now },
    {
      ...{ ...links, backupId: backup.backupId, status: 'done', key, startedAt: at, finishedAt: at },
      ...{ sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') },
    },
  )

  const person = await newPerson(t, await startBrowser(end), await berth.listen())
  const { page, expect } = await signedIn(person, `/databases/${service.postgresId}/backups`)
  // The screens ask for the backup of Berth's own state, which this installation has not.
  expect(/status of 404 .*\/api\/state\.one$/)
  await page.getByRole('button', { name: 'Details' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Make a URL for 15 minutes' }).click()
  const url = await dialog.locator('pre', { hasText: 'X-Amz-Signature' }).textContent()
  assert.ok(Buffer.from(await (await fetch(url!)).arrayBuffer()).equals(content))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download the dump' }).click(),
  ])
  assert.equal(download.suggestedFilename(), '20261122T030000Z-it.dump.zst')
  assert.ok(readFileSync(await download.path()).equals(content))
})
