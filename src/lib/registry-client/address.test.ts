/** Tests the notations of registry addresses that people and tools use, and the registries of images. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostOf, imageOn, parseRegistry, registryOf } from './address.ts'

test('reads all forms of an address as one host, with https by default', () => {
  const rows: [text: string, host: string, ...origins: string[]][] = [
    ...[
      'registry.example.com',
      'Registry.Example.COM/',
      'https://registry.example.com',
      ' registry.example.com ',
      'registry.example.com/v1/',
      'https://registry.example.com/v2',
      'https://registry.example.com:443/v2/',
      'registry.example.com:443',
    ].map((text): [string, string, string] => [text, 'registry.example.com', 'https://registry.example.com']),
    ['registry.example.com:5000', 'registry.example.com:5000', 'https://registry.example.com:5000'],
    ['http://registry.example.com', 'registry.example.com', 'http://registry.example.com'],
    ['http://registry.example.com:80', 'registry.example.com:80', 'http://registry.example.com'],
    ['http://10.0.0.1:5000/', '10.0.0.1:5000', 'http://10.0.0.1:5000'],
    ['10.0.0.1:5000', '10.0.0.1:5000', 'https://10.0.0.1:5000'],
    ['localhost:5000', 'localhost:5000', 'https://localhost:5000', 'http://localhost:5000'],
    ['127.0.0.2:5000', '127.0.0.2:5000', 'https://127.0.0.2:5000', 'http://127.0.0.2:5000'],
    ['[::1]:5000', '[::1]:5000', 'https://[::1]:5000', 'http://[::1]:5000'],
    ['https://localhost:5000', 'localhost:5000', 'https://localhost:5000'],
    ['[2001:DB8::1]:5000', '[2001:db8::1]:5000', 'https://[2001:db8::1]:5000'],
  ]
  for (const [text, host, ...origins] of rows) {
    assert.deepEqual(parseRegistry(text), { host, origins, authKey: host }, text)
  }
})

test('recognizes all names of Docker Hub', () => {
  for (const text of [
    '',
    'docker.io',
    'https://index.docker.io/v1/',
    'index.docker.io',
    'registry-1.docker.io/v2/',
    'https://registry-1.docker.io',
    'hub.docker.com',
    'https://hub.docker.com/',
    'http://Docker.IO',
    'docker.io:443',
  ]) {
    assert.deepEqual(
      parseRegistry(text),
      { host: 'docker.io', origins: ['https://registry-1.docker.io'], authKey: 'https://index.docker.io/v1/' },
      text,
    )
  }
  for (const text of ['docker.io.example.com', 'docker.io:5000', 'notdocker.io']) {
    assert.notEqual(hostOf(text), 'docker.io')
  }
})

test('refuses invalid addresses', () => {
  for (const text of [
    'ftp://host',
    'host/team',
    'host/v3/',
    'https://user@host',
    'user:word@host',
    'host?a=b',
    'host#a',
    'https://',
    'http:',
    ':5000',
    'host:',
    'host:0',
    'host:65536',
    'host:x',
    'a b',
    'ho<st',
    '[::1',
    '[1',
    '//host',
    'host\\x',
    'a\nb',
    'x'.repeat(301),
    '256.1.1.1',
  ]) {
    assert.equal(parseRegistry(text), null, text)
  }
})

test('finds the registry of an image: the host in its name, or Docker Hub', () => {
  const rows = [
    ['postgres', 'docker.io'],
    ['bitnami/postgresql:16', 'docker.io'],
    ['docker.io/library/postgres', 'docker.io'],
    ['index.docker.io/library/postgres', 'docker.io'],
    ['registry-1.docker.io/library/postgres', 'docker.io'],
    ['Registry.Example.com/team/postgres:15', 'registry.example.com'],
    ['registry.example.com:443/postgres', 'registry.example.com'],
    ['localhost/postgres', 'localhost'],
    ['registry.example.com:5000/postgres', 'registry.example.com:5000'],
    ['[2001:DB8::1]:5000/a', '[2001:db8::1]:5000'],
    ['registry.example.com:80/postgres', 'registry.example.com:80'],
    ['Not An Image', null],
    ['Hub.docker.com/library/postgres', 'hub.docker.com'],
  ] as const
  for (const [image, host] of rows) assert.equal(registryOf(image), host, image)
})

test('adds the host and the prefix to an image without a registry', () => {
  const digest = `@sha256:${'a1'.repeat(32)}`
  const rows: [host: string, imagePrefix: string | null, image: string, placed: string | null][] = [
    ['registry.example.com', null, 'postgres', 'registry.example.com/postgres'],
    ['registry.example.com', '', 'postgres:15', 'registry.example.com/postgres:15'],
    ['registry.example.com:5000', 'team/db', 'a/b:15', 'registry.example.com:5000/team/db/a/b:15'],
    ['localhost', 'team', `postgres${digest}`, `localhost/team/postgres${digest}`],
    ['[::1]:5000', 'team', `postgres:15${digest}`, `[::1]:5000/team/postgres:15${digest}`],
    ['docker.io', null, 'postgres:15', 'docker.io/postgres:15'],
    ['docker.io', 'team', 'postgres:15', 'docker.io/team/postgres:15'],
    ['registry', 'team', 'postgres:15', null],
    ['my_registry.local', null, 'postgres:15', null],
    ['r.example', 'x'.repeat(200), 'x'.repeat(44), `r.example/${'x'.repeat(200)}/${'x'.repeat(44)}`],
    ['r.example', 'x'.repeat(200), 'x'.repeat(45), null],
  ]
  for (const [host, imagePrefix, image, placed] of rows) {
    assert.equal(imageOn(host, imagePrefix, image), placed, image)
    if (placed !== null) assert.equal(registryOf(placed), host)
  }
})
