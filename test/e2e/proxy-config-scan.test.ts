/** What a scanner finds at Berth's port: `./berth test tls` runs a larger scanner (testssl.long.ts). */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { host, startBerthByHttps } from './berth-by-https.ts'

test('sslscan finds TLS 1.2 and 1.3 alone, with forward secrecy and authenticated encryption', async () => {
  await using berth = await startBerthByHttps()
  const options = ['--xml=-', `--sni-name=${host}`, `127.0.0.1:${berth.httpsPort}`]
  const { stdout } = await promisify(execFile)('sslscan', options)
  const attributesOf = (element: string) =>
    [...stdout.matchAll(new RegExp(`<${element} ([^>]*?)/?>`, 'g'))].map(([, text]) =>
      Object.fromEntries([...text!.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value])),
    )
  const enabled = attributesOf('protocol').filter((each) => each.enabled === '1')
  assert.deepEqual(enabled.map(({ type, version }) => `${type} ${version}`).sort(), ['tls 1.2', 'tls 1.3'])
  const ciphers = attributesOf('cipher').map(({ cipher, bits }) => `${cipher} ${bits}`)
  assert.ok(ciphers.length >= 6, stdout)
  const strong = /^(?:TLS_|ECDHE-ECDSA-).*(?:GCM|CHACHA20).* (?:128|256)$/
  assert.deepEqual(
    ciphers.filter((cipher) => !strong.test(cipher)),
    [],
  )
  assert.ok(attributesOf('heartbleed').every(({ vulnerable }) => vulnerable === '0'))
  assert.ok(attributesOf('renegotiation').every(({ supported }) => supported === '0'))
  assert.ok(stdout.includes(`DNS:${host}`), stdout)
})
