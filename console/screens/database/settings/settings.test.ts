import assert from 'node:assert/strict'
import test from 'node:test'
import type { DatabaseRecord } from '../../../data/kinds.ts'
import { checkEnv } from './env-lines.ts'
import { effectOf, hasField, mask, setCommand, shown, updateOf, valuesOf, warningOf } from './fields.ts'

const record = {
  ...{ name: 'orders', description: null, projectId: 'p1', appName: 'orders', dockerImage: 'postgres:17' },
  ...{ command: null, memoryLimit: 512, memoryReservation: null, cpuLimit: 0.5, cpuReservation: null, node: 'a' },
  ...{ nodeLabel: null, databaseName: 'orders', databaseUser: 'ada', databasePassword: 'open' },
} as unknown as DatabaseRecord

test('a form never contains a stored password', () => {
  assert.equal(valuesOf('postgres', record).databasePassword, mask)
  assert.equal(valuesOf('postgres', record).databaseRootPassword, '')
})

test('each kind has its own credentials', () => {
  assert.equal(hasField('redis', 'databaseUser'), false)
  assert.equal(hasField('mongo', 'databaseName'), false)
  assert.equal(hasField('mysql', 'databaseRootPassword'), true)
  assert.equal(hasField('redis', 'memoryLimit'), true)
})

test('texts become the values of an update', () => {
  const changed = { memoryLimit: ' 1024 ', cpuLimit: '', description: '', command: '-c a=1', memoryReservation: '1 GB' }
  assert.deepEqual(updateOf(changed), {
    ...{ memoryLimit: 1024, cpuLimit: null, description: null, command: '-c a=1', memoryReservation: '1 GB' },
  })
})

test('a change says when it takes effect', () => {
  assert.equal(effectOf('name', true), 'now')
  assert.equal(effectOf('memoryLimit', true), 'restart')
  assert.equal(effectOf('memoryLimit', false), 'first')
  assert.equal(effectOf('databasePassword', true), 'deploy')
  assert.equal(effectOf('databaseUser', true), 'restart')
})

test('a password is never shown', () => {
  assert.equal(shown('databasePassword', mask, new Map()), 'the present password')
  assert.equal(shown('databasePassword', '', new Map()), 'a new random one')
  assert.equal(shown('databasePassword', 's3cret', new Map()), 'the typed one')
  assert.equal(shown('projectId', 'p1', new Map([['p1', 'shop']])), 'shop')
})

test('a memory limit with which the server hardly starts causes a warning', () => {
  assert.match(warningOf('postgres', 'memoryLimit', '64') ?? '', /256 MiB/)
  assert.match(warningOf('redis', 'memoryLimit', '63.5') ?? '', /64 MiB/)
  for (const text of ['', '256', 'much']) assert.equal(warningOf('mysql', 'memoryLimit', text), null)
  assert.equal(warningOf('redis', 'memoryLimit', '64'), null)
  assert.equal(warningOf('postgres', 'memoryReservation', '8'), null)
})

test('the short command is given only if it can say the whole change', () => {
  assert.equal(setCommand('a/b', { dockerImage: 'x:1' }), 'berth set a/b --image=x:1 --no-deploy')
  assert.equal(setCommand('a/b', { databasePassword: 's3cret' }), 'berth set a/b --ask-password --no-deploy')
  assert.equal(setCommand('a/b', { dockerImage: 'x:1', cpuLimit: '1' }), null)
})

test('faults of variables name their line', () => {
  const cases = [
    ['TZ=UTC\n# comment\n\nexport A=1', null, ['TZ', 'A']],
    ['TZ', /line 1: has no =/, []],
    ['A=1\n1B=2', /line 2: the name/, ['A']],
    ['A=1\nA=2', /line 2: A is set twice/, ['A', 'A']],
    ['A="one\ntwo=2"\nB=1', null, ['A', 'B']],
    ['A="one', /no end/, ['A']],
    ['\ufeffA=1\r\nB=\t2', null, ['A', 'B']],
  ] as const
  for (const [text, fault, names] of cases) {
    const found = checkEnv(text)
    if (fault === null) assert.equal(found.fault, null, text)
    else assert.match(found.fault ?? '', fault, text)
    assert.deepEqual(found.names, names, text)
  }
})
