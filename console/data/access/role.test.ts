import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rightsOf } from './role.ts'

const rights = rightsOf([
  { projectId: 'shop', role: 'developer' },
  { projectId: 'blog', role: 'viewer' },
])

test('a role includes the narrower ones', () => {
  assert.equal(rights.whyNot('shop', 'viewer'), null)
  assert.equal(rights.whyNot('shop', 'developer'), null)
  assert.equal(rights.whyNot('blog', 'viewer'), null)
})

test('names the missing role and the present one', () => {
  assert.equal(rights.whyNot('shop', 'owner'), 'This needs the role owner in the project. Your role is developer')
  assert.equal(rights.whyNot('blog', 'developer'), 'This needs the role developer in the project. Your role is viewer')
  assert.equal(rights.whyNot('bank', 'viewer'), 'This needs the role viewer in the project')
})

test('tells whether the account has a role in any project', () => {
  assert.equal(rights.whyNowhere('developer'), null)
  assert.equal(rights.whyNowhere('owner'), 'This needs the role owner in a project')
})

test('nothing is missing to an account that reaches all projects, nor before its rights have been read', () => {
  assert.equal(rightsOf(undefined).whyNot('shop', 'owner'), null)
  assert.equal(rightsOf(undefined).whyNowhere('owner'), null)
})
