import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../errors.ts'
import {
  checkAllProjects,
  checkRole,
  includesRole,
  isSameReach,
  lowerRole,
  projectRoles,
  type Reach,
  reachOf,
  type Rights,
} from './reach.ts'

const memberships = [
  { projectId: 'shop', role: 'viewer' },
  { projectId: 'bakery', role: 'owner' },
] as const

const nobody: Rights = { isAdmin: false, allProjects: false, memberships: [], tokenProjects: null }
const cases: [string, Partial<Rights>, 'all' | Record<string, string>][] = [
  ['an administrator', { isAdmin: true }, 'all'],
  ['an account that reaches all projects', { allProjects: true, memberships }, 'all'],
  ['a member', { memberships }, { shop: 'viewer', bakery: 'owner' }],
  ['a member of nothing', {}, {}],
  ['a limited token of an administrator', { isAdmin: true, tokenProjects: ['shop'] }, { shop: 'owner' }],
  ['a limited token of an account that reaches all', { allProjects: true, tokenProjects: ['shop'] }, { shop: 'owner' }],
  ['a limited token of a member', { memberships, tokenProjects: ['shop', 'other'] }, { shop: 'viewer' }],
  ['a token limited to what the member does not reach', { memberships, tokenProjects: ['other'] }, {}],
]

for (const [caller, rights, expected] of cases) {
  test(`the reach of ${caller}`, () => {
    const reach = reachOf({ ...nobody, ...rights })
    assert.deepEqual(reach === 'all' ? reach : Object.fromEntries(reach), expected)
  })
}

test('a wider role includes the narrower ones', () => {
  for (const [i, role] of projectRoles.entries()) {
    for (const [j, needed] of projectRoles.entries()) {
      assert.equal(includesRole(role, needed), i >= j)
      assert.equal(lowerRole(role, needed), projectRoles[Math.min(i, j)])
    }
  }
})

test('two reaches are the same if they have the same roles in the same projects', () => {
  const reaches: Reach[] = [
    'all',
    new Map(),
    new Map([['shop', 'viewer']]),
    new Map([['shop', 'owner']]),
    new Map([['bakery', 'viewer']]),
    new Map([
      ['shop', 'viewer'],
      ['bakery', 'viewer'],
    ]),
  ]
  for (const a of reaches) {
    for (const b of reaches) assert.equal(isSameReach(a, b === 'all' ? b : new Map(b)), a === b)
  }
})

test('names the role that is needed and the present one, and the need of all projects', () => {
  checkRole('owner', 'developer')
  checkAllProjects('all')
  assert.throws(() => checkRole('viewer', 'developer'), isForbidden(/needs the role developer .* yours is viewer/))
  assert.throws(
    () => checkAllProjects(new Map(), 'The field'),
    isForbidden(/^The field needs an account .* all projects/),
  )
})

const isForbidden = (message: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === 'FORBIDDEN' && message.test(error.message)
