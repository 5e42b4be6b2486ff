import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invitationLink, invitationOf } from './invitation-link.ts'

const secret = { id: '01a2', token: 'berth_invitation_a+b&c=d' }

test('a link gives back its invitation', () => {
  const link = new URL(invitationLink('https://berth.example.org', secret))
  assert.equal(link.pathname, '/invitation')
  assert.deepEqual(invitationOf(link.hash), secret)
})

test('the secret is only in the fragment, which browsers do not send', () => {
  const link = new URL(invitationLink('https://berth.example.org', secret))
  assert.equal(link.search, '')
  assert.ok(!(link.origin + link.pathname).includes(secret.id))
})

test('a fragment without id or token is no invitation', () => {
  for (const fragment of ['', '#', '#id=1', '#token=x', '#id=&token=x', '#id=1&token=%20'])
    assert.equal(invitationOf(fragment), null, fragment)
})
