/** Tests valid and invalid WWW-Authenticate headers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../test/fixtures/processor-time.ts'
import { parseChallenges } from './challenge.ts'

test('parses challenges as registries send them', () => {
  const realm = 'https://auth.docker.io/token'
  assert.deepEqual(parseChallenges(`Bearer realm="${realm}",service="registry.docker.io"`), [
    { scheme: 'bearer', parameters: { realm, service: 'registry.docker.io' } },
  ])
  assert.deepEqual(parseChallenges(`bearer realm="${realm}", scope="repository:a:pull,push", error="invalid_token"`), [
    { scheme: 'bearer', parameters: { realm, scope: 'repository:a:pull,push', error: 'invalid_token' } },
  ])
  assert.deepEqual(parseChallenges('Basic realm="a \\"quoted\\" one"'), [
    { scheme: 'basic', parameters: { realm: 'a "quoted" one' } },
  ])
  assert.deepEqual(parseChallenges(`Basic realm=x, Bearer realm="${realm}" , service=s`), [
    { scheme: 'basic', parameters: { realm: 'x' } },
    { scheme: 'bearer', parameters: { realm, service: 's' } },
  ])
  assert.deepEqual(
    parseChallenges('Negotiate, NTLM, Basic'),
    ['negotiate', 'ntlm', 'basic'].map((scheme) => ({ scheme, parameters: {} })),
  )
})

test('stops at the first invalid part, and parses long invalid headers in little processor time', () => {
  for (const header of ['', ' , ,', '"', '=', '<html>', 'realm="x"']) assert.deepEqual(parseChallenges(header), [])
  assert.deepEqual(parseChallenges('Basic realm="never ended'), [
    { scheme: 'basic', parameters: {} },
    { scheme: 'realm', parameters: {} },
  ])
  const headers = ['"', '\\', ',', ' ', 'a', 'a="', 'a=,'].map((it) => `Bearer ${it.repeat(16_000)}`)
  assert.ok(processorMs(() => headers.forEach((header) => void parseChallenges(header))) < 2000)
})
