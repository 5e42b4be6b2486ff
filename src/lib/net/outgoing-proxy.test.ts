/** Which requests go by a proxy, and the values that the settings accept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxiesOf, proxyUrlOf } from './outgoing-proxy.ts'

const [httpProxy, httpsProxy] = [proxyUrlOf('plain.corp:3128'), proxyUrlOf('https://us%40er:p%3Aw@tls.corp')]

function proxied(url: string, direct: string[] = []): string | undefined {
  const { protocol, hostname, port } = new URL(url)
  const proxyOf = proxiesOf({ httpProxy, httpsProxy, direct })
  const isPlain = protocol === 'http:'
  return proxyOf({ protocol: isPlain ? 'http:' : 'https:', host: hostname, port: Number(port || (isPlain ? 80 : 443)) })
    ?.host
}

test('takes the proxy of the scheme of the request', () => {
  assert.equal(proxied('http://s3.example.org'), 'plain.corp:3128')
  assert.equal(proxied('https://s3.example.org'), 'tls.corp:443')
  const none = proxiesOf({ httpProxy, httpsProxy: null, direct: [] })
  assert.equal(none({ protocol: 'https:', host: 's3.example.org', port: 443 }), null)
})

test('reads the user, the password and the scheme of a proxy', () => {
  const proxyOf = proxiesOf({ httpProxy, httpsProxy, direct: [] })
  const proxy = proxyOf({ protocol: 'https:', host: 'a', port: 443 })!
  const authorization = `Basic ${Buffer.from('us@er:p:w').toString('base64')}`
  assert.deepEqual([proxy.isTls, proxy.authorization, proxy.setting], [true, authorization, 'HTTPS_PROXY'])
  assert.equal(proxyOf({ protocol: 'http:', host: 'a', port: 80 })!.authorization, null)
})

test('never takes a proxy for this machine', () => {
  for (const host of ['localhost', '127.0.0.1:9000', '127.8.8.8', '[::1]:9000']) {
    assert.equal(proxied(`http://${host}`), undefined, host)
  }
})

const entries: [entry: string, direct: string[], byProxy: string[]][] = [
  ['*', ['a.example', '10.0.0.5', '[2001:db8::1]'], []],
  ['example.org', ['example.org', 's3.example.org', 'EXAMPLE.org.'], ['notexample.org', 'example.org.evil.example']],
  ['.example.org', ['s3.example.org'], ['example.org', 'notexample.org']],
  ['*.example.org', ['s3.example.org'], ['example.org']],
  ['S3.Example.org', ['s3.example.org'], ['example.org']],
  ['example.org:9000', ['example.org:9000', 'a.example.org:9000'], ['example.org', 'example.org:9001']],
  ['10.0.0.5', ['10.0.0.5', '10.0.0.5:9000'], ['10.0.0.50']],
  ['10.0.0.5:9000', ['10.0.0.5:9000'], ['10.0.0.5']],
  ['10.0.0.0/8', ['10.1.2.3:9000'], ['11.0.0.1', 'ten.example']],
  ['fd00::/8', ['[fd12::1]'], ['[2001:db8::1]', '10.0.0.5']],
  ['[fd12::1]:9000', ['[fd12::1]:9000'], ['[fd12::1]']],
]
for (const [entry, direct, byProxy] of entries) {
  test(`NO_PROXY=${entry}`, () => {
    for (const host of direct) assert.equal(proxied(`http://${host}`, ['other.example', entry]), undefined, host)
    for (const host of byProxy) assert.equal(proxied(`http://${host}`, [entry]), 'plain.corp:3128', host)
  })
}

test('refuses what is not the URL of a proxy', () => {
  for (const text of [
    'socks5://proxy.corp:1080',
    'http://',
    'http://proxy.corp:99999',
    'http://proxy.corp/path',
    'http://user:pa#ss@proxy.corp',
    'http://user:pa/ss@proxy.corp',
    'proxy corp',
  ]) {
    assert.equal(proxyUrlOf(text), null, text)
  }
})
