/** Logins that a registry fails or refuses. The refusals name a code and a field, and never contain the password. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { Code } from '../../src/errors.ts'
import { startFakeRegistry, type FakeRegistry } from '../fixtures/fake-registry.ts'
import { type Failure, type Input, startTestBerth } from '../fixtures/test-berth.ts'

const password = 'the-password-of-ann'
const version = { 'docker-distribution-api-version': 'registry/2.0' }

type Reply = (request: IncomingMessage, response: ServerResponse) => unknown

interface Fault {
  title: string
  code: Code
  path: string
  message: RegExp
  /** Replaces the registry's response. */
  reply?: Reply
  /** Replaces the registry's address. */
  url?: (registry: FakeRegistry) => string
}

const faults: Fault[] = [
  {
    title: 'a wrong password',
    code: 'BAD_REQUEST',
    path: 'password',
    message: /rejected this username and password/,
    reply: (_, response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end(),
  },
  {
    title: 'a client without permission',
    code: 'BAD_REQUEST',
    path: 'username',
    message: /refuses requests from this machine/,
    reply: (_, response) => response.writeHead(403, version).end(),
  },
  {
    title: 'a redirect loop',
    code: 'BAD_REQUEST',
    path: 'registryUrl',
    message: /redirects too many times/,
    reply: (_, response) => response.writeHead(302, { location: '/v2/' }).end(),
  },
  {
    title: 'a redirect to another host',
    code: 'BAD_REQUEST',
    path: 'registryUrl',
    message: /redirects to .*:1\./,
    reply: (request, response) =>
      request.url === '/v2/' ? response.writeHead(302, { location: 'http://127.0.0.1:1/v2/' }).end() : response.end(),
  },
  {
    title: 'a web page',
    code: 'BAD_REQUEST',
    path: 'registryUrl',
    message: /did not answer as a registry does/,
    reply: (_, response) => response.end(`<html>${password}`),
  },
  {
    title: 'an internal error of the registry',
    code: 'BAD_GATEWAY',
    path: 'registryUrl',
    message: /HTTP 503/,
    reply: (_, response) => response.writeHead(503).end(password),
  },
  {
    title: 'too many requests',
    code: 'BAD_GATEWAY',
    path: 'registryUrl',
    message: /in 30 seconds/,
    reply: (_, response) => response.writeHead(429, { 'retry-after': '30' }).end(),
  },
  {
    title: 'a broken connection',
    code: 'BAD_GATEWAY',
    path: 'registryUrl',
    message: /broke/,
    reply: (_, response) => response.destroy(),
  },
  {
    title: 'a port where nothing listens',
    code: 'BAD_GATEWAY',
    path: 'registryUrl',
    message: /refused the connection/,
    url: () => '127.0.0.1:1',
  },
  {
    title: 'a name that cannot be resolved',
    code: 'BAD_GATEWAY',
    path: 'registryUrl',
    message: /could not be resolved/,
    url: () => 'no-such-host.invalid',
  },
  {
    title: 'an address without a route',
    code: 'BAD_GATEWAY',
    path: 'registryUrl',
    message: /cannot be reached/,
    url: () => '255.255.255.255',
  },
  {
    title: 'a port without TLS',
    code: 'BAD_GATEWAY',
    path: 'registryUrl',
    message: /does not speak TLS on this port/,
    url: ({ host }) => `https://${host}`,
  },
  {
    title: 'no response',
    code: 'GATEWAY_TIMEOUT',
    path: 'registryUrl',
    message: /did not answer within 10 seconds/,
    reply: () => undefined,
  },
]

for (const { title, code, path, message, reply, url } of faults) {
  test(`refuses create, update and testRegistry with ${code} after ${title}`, async () => {
    await using testBerth = await startTestBerth()
    await using registry = await startFakeRegistry()
    const fields: Input = {
      registryName: 'ours',
      username: 'ann',
      password,
      registryUrl: registry.host,
      registryType: 'cloud',
      imagePrefix: null,
    }
    const { registryId } = await testBerth.ok('registry.create', fields)
    if (reply !== undefined) {
      registry.answer = (request, response) => {
        reply(request, response)
        return true
      }
    }
    const input = { ...fields, registryId, registryUrl: url?.(registry) ?? registry.host }
    const check = async (name: string) => {
      const failure: Failure = await testBerth.refused(code, `registry.${name}`, input, path)
      assert.match(failure.issues[0]!.message, message)
      assert.ok(!JSON.stringify(failure).includes(password))
    }
    await Promise.all(['create', 'update', 'testRegistry'].map(check))
  })
}

test('answers with the Retry-After header of the registry', async () => {
  await using testBerth = await startTestBerth()
  await using registry = await startFakeRegistry()
  registry.answer = (_, response) => {
    response.writeHead(429, { 'retry-after': '30' }).end()
    return true
  }
  const { status, headers } = await testBerth.call('registry.testRegistry', {
    registryName: 'ours',
    username: 'ann',
    password,
    registryUrl: registry.host,
    registryType: 'cloud',
  })
  assert.deepEqual([status, headers['retry-after']], [502, '30'])
})
