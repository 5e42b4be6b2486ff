import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicUrlOf } from './public-url.ts'

test('parses a host name with or without a port', () => {
  const cases: [text: string, origin: string, host: string, port: number][] = [
    ['https://berth.example.org', 'https://berth.example.org', 'berth.example.org', 443],
    ['https://Berth.Example.org/', 'https://berth.example.org', 'berth.example.org', 443],
    ['https://berth.lan:8443', 'https://berth.lan:8443', 'berth.lan', 8443],
    ['https://berth:443/', 'https://berth', 'berth', 443],
    ['https://bücher.example', 'https://xn--bcher-kva.example', 'xn--bcher-kva.example', 443],
  ]
  for (const [text, origin, host, port] of cases) assert.deepEqual(publicUrlOf(text), { origin, host, port }, text)
})

test('refuses everything else', () => {
  const wrong = [
    '',
    'berth.example.org',
    'http://berth.example.org',
    'https://',
    'https://berth.example.org/console',
    'https://berth.example.org/?a',
    'https://berth.example.org/#a',
    'https://ada@berth.example.org',
    'https://berth.example.org.',
    'https://*.example.org',
    'https://a_b.example.org',
    'https://-a.example.org',
    'https://192.0.2.7',
    'https://0x7f.1',
    'https://[2001:db8::7]',
    'https://localhost',
    'https://berth.localhost:3000',
    `https://${'a'.repeat(64)}.example.org`,
  ]
  for (const text of wrong) assert.equal(publicUrlOf(text), null, text)
})
