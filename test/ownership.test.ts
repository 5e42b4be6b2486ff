/** Only the feature that owns a table writes to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../src/store/schema.ts'
import { source } from './source-files.ts'

/** The folder or file of src that may write each table. */
const owners: Record<keyof Schema, string> = {
  meta: 'store/meta.ts',
  account: 'accounts/',
  token: 'accounts/',
  invitation: 'accounts/',
  recoveryCode: 'accounts/',
  attempt: 'accounts/',
  knownNetwork: 'accounts/',
  audit: 'api/',
  idempotency: 'api/',
  project: 'projects/',
  database: 'databases/',
  deployment: 'deployments/',
  volume: 'volumes/',
  move: 'databases/move/',
  node: 'cluster/',
  engineAccess: 'nodes/engines/',
  nodeEngine: 'nodes/engines/',
  destination: 'backups/destinations/',
  backup: 'backups/',
  backupRun: 'backups/',
  backupIdentity: 'backups/',
  expiredObject: 'backups/retention/',
  application: 'routing/',
  redirect: 'routing/',
  security: 'routing/',
  port: 'routing/',
  certificate: 'routing/',
  issuance: 'routing/',
  registry: 'registries/',
  registryServer: 'registries/',
  changedCredentials: 'registries/',
  event: 'events/',
  condition: 'conditions/',
  authority: 'authority/',
}

test('no feature writes a table of another feature', () => {
  const write = /\b(?:insertInto|updateTable|deleteFrom|preparedInsert)\('(\w+)'/g
  const wrong = source.flatMap(({ path, text }) =>
    [...text.matchAll(write)]
      .map(([, table]) => table as keyof Schema)
      .filter((table) => !path.startsWith(`src/${owners[table]}`))
      .map((table) => `${path} writes ${table}`),
  )
  assert.deepEqual(wrong, [])
})
