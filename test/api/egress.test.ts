/** Requests that callers cause: Berth sends none to a link-local address or the metadata service of a cloud. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const destination = {
  name: 'bucket',
  accessKey: 'key',
  secretAccessKey: 'a-secret-of-the-storage',
  bucket: 'backups',
  region: '',
}
const login = { registryName: 'team', username: 'ann', password: 'a-secret', registryType: 'cloud', imagePrefix: null }
const hosts = ['169.254.169.254', 'http://0xA9FEA9FE/', 'https://[::ffff:169.254.169.254]', 'http://[fd00:ec2::254]:80']
const urlOf = (host: string) => (host.includes('//') ? host : `http://${host}`)
const messagePattern = /BERTH_EGRESS_ALLOW=/

async function backupOf(testBerth: TestBerth): Promise<Input> {
  const { postgresId } = await databaseClientsOf(testBerth, kindNamed('postgres')).create()
  const { destinationId } = await testBerth.ok('destination.create', { ...destination, endpoint: 'http://127.0.0.1:9' })
  return {
    schedule: '0 3 * * *',
    prefix: 'nightly',
    destinationId,
    database: 'shop',
    databaseType: 'postgres',
    postgresId,
  }
}

test('refuses a forbidden address in any notation and names the field', async () => {
  await using testBerth = await startTestBerth()
  const backup = await backupOf(testBerth)
  const { backupId } = await testBerth.ok('backup.create', backup)
  const { destinationId } = backup
  for (const host of hosts) {
    const refusals: [operation: string, input: Input, path: string][] = [
      ['destination.create', { ...destination, endpoint: host }, 'endpoint'],
      ['destination.update', { ...destination, destinationId, endpoint: host }, 'endpoint'],
      ['destination.testConnection', { ...destination, endpoint: host }, 'endpoint'],
      ['backup.create', { ...backup, signalUrl: urlOf(host) }, 'signalUrl'],
      ['backup.update', { ...backup, backupId, signalUrl: urlOf(host) }, 'signalUrl'],
      ['state.schedule', { schedule: '@daily', destinationId, signalUrl: urlOf(host) }, 'signalUrl'],
      ['registry.create', { ...login, registryUrl: host.replace(/\/$/, '') }, 'registryUrl'],
      ['registry.testRegistry', { ...login, registryUrl: host.replace(/\/$/, '') }, 'registryUrl'],
    ]
    for (const [operation, input, path] of refusals) {
      assert.match(
        (await testBerth.refused('BAD_REQUEST', operation, input, path)).message,
        messagePattern,
        `${operation} ${host}`,
      )
    }
  }
})

test('sends no request to a forbidden address that was stored earlier', async () => {
  await using testBerth = await startTestBerth()
  const backup = await backupOf(testBerth)
  const { backupId } = await testBerth.ok('backup.create', backup)
  await testBerth.app.transact((tx) =>
    tx.updateTable('destination').set({ endpoint: 'http://169.254.169.254' }).execute(),
  )
  assert.match(
    (await testBerth.refused('BAD_REQUEST', 'backup.files', { backupId }, 'endpoint')).message,
    messagePattern,
  )
  const restore = { backupId, key: 'a/b.dump.zst', appName: 'new', projectId: testBerth.projectId }
  assert.match((await testBerth.refused('BAD_REQUEST', 'backup.restore', restore, 'endpoint')).message, messagePattern)
})

test('does not follow a redirect to a forbidden address', async () => {
  await using testBerth = await startTestBerth()
  const server = createServer(
    (_request, response) =>
      void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { message } = await testBerth.refused(
    'BAD_GATEWAY',
    'destination.testConnection',
    { ...destination, endpoint },
    'endpoint',
  )
  assert.match(message, /^127\.0\.0\.1:\d+ did not answer as S3 does \(HTTP 307\)/)
  server.close()
})

test('BERTH_EGRESS_ALLOW permits addresses and networks', async () => {
  await using testBerth = await startTestBerth({ BERTH_EGRESS_ALLOW: '169.254.169.254,fd00:ec2::/32' })
  const backup = await backupOf(testBerth)
  await testBerth.ok('backup.create', { ...backup, signalUrl: 'http://169.254.169.254/' })
  for (const endpoint of hosts) await testBerth.ok('destination.create', { ...destination, endpoint })
  await testBerth.refused(
    'BAD_REQUEST',
    'destination.create',
    { ...destination, endpoint: '169.254.169.253' },
    'endpoint',
  )
})
