/**
 * The loss of a node as the console shows it: the node and its database are red, and green again after its return, also
 * after a return with another id.
 */
import { test } from 'node:test'
import { bundled } from '../../fixtures/bundle.ts'
import { type PlacedDatabase, startMultiNodeBerth } from '../multi-node-berth.ts'
import { newPerson, signedIn, startBrowser } from './browser.ts'
import { createAccount } from './console-berth.ts'

const images = ['redis:8', 'haproxy:3.0', 'nginx:1']

test('a lost node and its database are shown as down, and as up after each return, without a reload', async (t) => {
  bundled('berth')
  await using end = new AsyncDisposableStack()
  const { berth, deployOnWorkers, leaveAndJoin } = end.use(
    await startMultiNodeBerth(2, { managerImages: images, workerImages: images }),
  )
  const base = await berth.listen()
  const account = { email: 'grace@example.org', password: 'battery staple' }
  const { body: invitation } = await berth.call<{ id: string; token: string }>('user.invite', {
    email: account.email,
    rol: 'admin',
  })
  await createAccount(base, invitation, account.password)
  const [{ database, node }] = (await deployOnWorkers('redis')) as [PlacedDatabase]
  const browser = await startBrowser(end)
  const person = await newPerson(t, browser, base)
  const nodes = (await signedIn(person, '/nodes', account)).page
  const databasePage = (await person.open(`/databases/${database.redisId}/state`)).page
  const overview = (await person.open('/')).page
  const nodeCard = nodes.locator('.card, tr').filter({ hasText: node.name }).first()
  const head = databasePage.locator('header.head')
  await nodeCard.getByText('ready').first().waitFor()
  await head.getByText('up', { exact: true }).waitFor()

  await node.disconnect()
  await nodeCard.getByText('down').first().waitFor({ timeout: 60_000 })
  await head.getByText('down', { exact: true }).waitFor({ timeout: 60_000 })
  await databasePage.getByText(`Node ${node.name}`).first().waitFor()
  await overview.getByText(node.name).first().waitFor({ timeout: 90_000 })

  await node.connect()
  await nodeCard.getByText('ready').first().waitFor({ timeout: 60_000 })
  await head.getByText('up', { exact: true }).waitFor({ timeout: 60_000 })

  const { missingNodeId } = await leaveAndJoin(node)
  await berth.call('cluster.removeWorker', { nodeId: missingNodeId, force: true }, undefined, { prefer: 'wait=60' })
  await head.getByText('down', { exact: true }).waitFor({ timeout: 60_000 })
  await nodes.getByRole('button', { name: 'Take back the volumes …' }).click({ timeout: 90_000 })
  const dialog = nodes.locator('dialog[open]')
  await dialog.getByText(database.appName).first().waitFor({ timeout: 60_000 })
  await dialog.getByLabel('to confirm').fill(node.name)
  await dialog.getByRole('button', { name: 'Take them back' }).click()
  await head.getByText('up', { exact: true }).waitFor({ timeout: 60_000 })
})
