import assert from 'node:assert/strict'
import test from 'node:test'
import { changeText, isPortDown, isPortOpen, reasonAgainstPort, waitingText } from './port-state.ts'

const open = {
  ...{ externalPort: 5432, applicationStatus: 'done' },
  connection: { internalUrl: '', externalUrl: 'postgresql://ada:********@node:5432/orders' },
} as const
const isNew = { ...open, applicationStatus: 'idle', connection: { ...open.connection, externalUrl: null } } as const

test('a port is open only if the database is up and has it', () => {
  assert.equal(isPortOpen(open), true)
  for (const record of [isNew, { ...open, applicationStatus: 'error' as const }, { ...open, externalPort: 543 }]) {
    assert.equal(isPortOpen(record), false)
  }
})

test('the texts promise seconds only for a database that is up', () => {
  assert.match(changeText(open), /within seconds/)
  for (const applicationStatus of ['idle', 'error', 'running'] as const) {
    assert.match(changeText({ applicationStatus }), /next deploy/)
  }
  assert.equal(waitingText(open), null)
  assert.match(waitingText(isNew) ?? '', /next deploy/)
  assert.match(waitingText({ ...open, applicationStatus: 'running' }) ?? '', /under way/)
})

test('a port of a database that is down waits for the database, and a changed port for a deploy', () => {
  const down = { ...open, applicationStatus: 'error' } as const
  assert.deepEqual([isPortDown(down), isPortDown({ ...down, externalPort: 543 })], [true, false])
  assert.match(waitingText(down) ?? '', /answers when the database is up again/)
  assert.match(waitingText({ ...down, externalPort: 543 }) ?? '', /next deploy/)
})

test('the same port cannot be sent again', () => {
  assert.equal(reasonAgainstPort(open, ''), 'Enter a port')
  assert.equal(reasonAgainstPort(open, 5432), 'This port is open already')
  assert.equal(reasonAgainstPort(isNew, 5432), 'This port is saved already')
  assert.equal(reasonAgainstPort(open, 5433), null)
})
