/** The access table: which callers can call the operations of each `Access`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Access,
  accessText,
  callers,
  checkAccess,
  type Holder,
  isSignIn,
  canCall,
  includesScope,
  canSeePasswords,
} from './access.ts'
import { Refusal } from '../errors.ts'

const columns = [
  'no token',
  'installation',
  'invitation',
  'challenge',
  'user session',
  'user API read',
  'user API deploy',
  'user API admin',
  'admin session',
  'admin API read',
  'admin API deploy',
  'admin API admin',
]

/** One character for each column. x: the caller can call such operations; .: it cannot. */
const table: Record<Access, string> = {
  anyone: 'x...........',
  createAdmin: '.x..xxxxxxxx',
  createUser: '.xx.xxxxxxxx',
  login: '.x..xxxxxxxx',
  secondFactor: '...x........',
  'user:read': '....xxxxxxxx',
  'user:deploy': '....x.xxx.xx',
  'user:admin': '....x..xx..x',
  'user:session': '....x...x...',
  'admin:read': '........xxxx',
  'admin:admin': '........x..x',
  'admin:session': '........x...',
}

test('the table has a column for each caller', () => assert.deepEqual(Object.keys(callers), columns))

const codeOf = (access: Access, holder: Holder) => {
  try {
    checkAccess(access, holder)
    return null
  } catch (error) {
    assert.ok(error instanceof Refusal)
    assert.ok(error.message.length > 20, 'the message says why')
    return error.code
  }
}

for (const [access, row] of Object.entries(table) as [Access, string][]) {
  test(`${access}: ${accessText(access)}`, () => {
    const actual = columns.map((name) => (canCall(access, callers[name]!) ? 'x' : '.')).join('')
    assert.equal(actual, row)
    for (const [i, name] of columns.entries()) {
      assert.equal(codeOf(access, callers[name]!), row[i] === 'x' ? null : 'FORBIDDEN', name)
    }
  })

  test(`${access}: expired tokens are refused, except a session at login`, () => {
    for (const name of columns) {
      const isOpen = access === 'login' && name.endsWith('session')
      assert.equal(codeOf(access, { ...callers[name]!, expired: true }), isOpen ? null : 'UNAUTHORIZED', name)
    }
  })
}

test('only anyone, createAdmin, createUser, login and secondFactor belong to sign-in operations', () => {
  const ways = (Object.keys(table) as Access[]).filter(isSignIn)
  assert.deepEqual(ways, ['anyone', 'createAdmin', 'createUser', 'login', 'secondFactor'])
})

test('a scope includes itself and narrower scopes; null includes no scope', () => {
  const scopes = ['read', 'deploy', 'admin'] as const
  assert.deepEqual(
    scopes.map((scope) => scopes.map((needed) => includesScope(scope, needed))),
    [
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ],
  )
  for (const needed of scopes) assert.equal(includesScope(null, needed), false)
})

test('only sessions, and API tokens of scope admin, see passwords of databases', () => {
  const allowed = columns.filter((name) => canSeePasswords(callers[name]!))
  assert.deepEqual(allowed, ['user session', 'user API admin', 'admin session', 'admin API admin'])
})
