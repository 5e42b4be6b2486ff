/** The settings of the temporary servers of a move. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed, kinds } from '../../kinds/index.ts'
import { settingsOnSide } from './temporary-servers.ts'

test('the server on the old volume is a member of the replica set, and the one on the new volume is not', () => {
  const login = { databaseUser: 'ada', databasePassword: 'secret' }
  const settings = { ...login, replicaSet: 'rs0' }
  const mongo = kindNamed('mongo')
  assert.deepEqual(settingsOnSide(mongo, settings, 'source'), settings)
  assert.deepEqual(settingsOnSide(mongo, settings, 'target'), login)
})

test('settings that the data does not keep are the same on both sides', () => {
  const settings = { databaseName: 'shop', databaseUser: 'ada', databasePassword: 'secret' }
  for (const kind of kinds) assert.deepEqual(settingsOnSide(kind, settings, 'target'), settings)
})
