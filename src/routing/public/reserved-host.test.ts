import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CertificateSource, Config } from '../../config.ts'
import { certificateFault, redirectFault } from './reserved-host.ts'

const host = 'berth.example.org'
const configWith = (certificate: CertificateSource): Pick<Config, 'publicUrl'> => ({
  publicUrl: { origin: `https://${host}`, host, port: 443, certificate },
})
const none = { publicUrl: null }

test('refuses a pattern that names the host of Berth', () => {
  const naming = [
    '^https://berth.example.org/old',
    '^https?://berth\\.example\\.org',
    'https:\\/\\/BERTH\\.example\\.org$',
    '^berth.example.org',
    '://(berth.example.org|b.example)/',
  ]
  for (const regex of naming) {
    assert.match(redirectFault(configWith('acme'), regex)!, /berth\.example\.org.*BERTH_PUBLIC_URL/, regex)
    assert.equal(redirectFault(none, regex), null)
  }
})

test('accepts a pattern that matches any host, or another one', () => {
  const others = [
    '/old$',
    '.*',
    '^https://shop\\.berth\\.example\\.org/',
    '^https://berth.example.org.evil.example/',
    '^https://berth.example.organic/',
    '/from-berth.example.org',
  ]
  for (const regex of others) assert.equal(redirectFault(configWith('acme'), regex), null, regex)
})

test('refuses a certificate for the host, unless Berth is served with an uploaded one', () => {
  const cases: [config: Pick<Config, 'publicUrl'>, names: string[], isRefused: boolean][] = [
    [configWith('acme'), [host], true],
    [configWith('internal'), ['a.example', host], true],
    [configWith('internal'), ['*.example.org'], false],
    [configWith('acme'), ['a.example'], false],
    [configWith('uploaded'), [host], false],
    [none, [host], false],
  ]
  for (const [config, names, isRefused] of cases) {
    assert.equal(certificateFault(config, names) !== null, isRefused, `${config.publicUrl?.certificate} ${names}`)
  }
})
