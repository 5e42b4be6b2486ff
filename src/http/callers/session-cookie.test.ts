import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionTokens, setCookie } from './session-cookie.ts'

test('reads the session cookies of a request, the one with the prefix first', () => {
  const cases: [cookie: string | undefined, plain: string[], secure: string[]][] = [
    [undefined, [], []],
    ['', [], []],
    ['berth=a', ['a'], []],
    ['__Host-berth=a', ['a'], ['a']],
    ['berth=a; __Host-berth=b', ['b', 'a'], ['b']],
    ['theme=dark; berth=a;other=1', ['a'], []],
    ['  berth=a  ', ['a'], []],
    ['berth=a; berth=b', ['a', 'b'], []],
    ['Berth=a; BERTH=b; xberth=c; berthx=d; __host-berth=e', [], []],
    ['berth=', [], []],
    ['berth', [], []],
    ['=berth', [], []],
    ['berth=a b', [], []],
    ['berth=a=b', ['a=b'], []],
    [`berth=${'a'.repeat(513)}`, [], []],
    ['berth=1; berth=2; berth=3; berth=4; berth=5', ['1', '2', '3', '4'], []],
    [';;;', [], []],
  ]
  for (const [cookie, plain, secure] of cases) {
    assert.deepEqual([sessionTokens(cookie, false), sessionTokens(cookie, true)], [plain, secure], `${cookie}`)
  }
})

test('a cookie is hidden from scripts and other sites, and has the prefix over TLS', () => {
  assert.equal(setCookie('abc', 60, false), 'berth=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Strict')
  assert.equal(setCookie('abc', 60, true), '__Host-berth=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure')
  assert.equal(setCookie('', 0, true), '__Host-berth=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure')
})
