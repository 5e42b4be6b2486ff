import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText, greeting, type Welcome } from './greeting.ts'

const config = { host: '127.0.0.1', port: 3000, dataFolder: '/var/lib/berth', publicUrl: null }
const welcome: Welcome = {
  config,
  version: '1.2.3',
  tokenLocation: '/var/lib/berth/access-token',
  isNew: true,
  command: './berth',
  hasDefaultFolder: false,
}

test('the greeting of the first start shows the command that creates the administrator', () => {
  const text = greeting(welcome)
  assert.match(text, /Berth 1\.2\.3 is serving\n/)
  assert.match(text, /Console +http:\/\/127\.0\.0\.1:3000$/m)
  assert.match(text, /Reference +http:\/\/127\.0\.0\.1:3000\/docs/)
  assert.match(text, /^ +\.\/berth login http:\/\/127\.0\.0\.1:3000 --token-file \/var\/lib\/berth\/access-token$/m)
})

test('the command names the file with the token only if it would not be found', () => {
  const plain = /^ +\.\/berth login http:\/\/127\.0\.0\.1:3000$/m
  assert.match(greeting({ ...welcome, hasDefaultFolder: true }), plain)
  assert.match(greeting({ ...welcome, tokenLocation: 'BERTH_ACCESS_TOKEN' }), plain)
  assert.match(greeting({ ...welcome, isNew: false }), plain)
})

test('a URL without TLS on another address needs an option', () => {
  const text = greeting({ ...welcome, isNew: false, config: { ...config, host: '192.0.2.1' } })
  assert.match(text, /login http:\/\/192\.0\.2\.1:3000 --insecure$/m)
})

test('the public URL is shown, and the first sign-in is on this machine', () => {
  const url = {
    origin: 'https://berth.example.org',
    host: 'berth.example.org',
    port: 443,
    certificate: 'acme',
  } as const
  const text = greeting({ ...welcome, config: { ...config, publicUrl: url } })
  assert.match(text, /^ +Console +https:\/\/berth\.example\.org$/m)
  assert.match(text, /^ +Here +http:\/\/127\.0\.0\.1:3000 /m)
  assert.match(text, /berth login http:\/\/127\.0\.0\.1:3000/)
})

test('paths are quoted for the shell, and IPv6 addresses in URLs are in brackets', () => {
  assert.match(greeting({ ...welcome, tokenLocation: "/my data/it's" }), /--token-file '\/my data\/it'\\''s'/)
  const expected = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1', '::1': '[::1]', localhost: 'localhost' }
  for (const [host, name] of Object.entries(expected)) {
    assert.ok(greeting({ ...welcome, config: { ...config, host } }).includes(`http://${name}:3000/docs`), host)
  }
})

test('the message for a failed start says what to do', () => {
  const cases: [object, RegExp][] = [
    [{ syscall: 'listen', code: 'EADDRINUSE' }, /^Port 3000 on 127\.0\.0\.1 is in use\..*BERTH_PORT/],
    [{ syscall: 'listen', code: 'EADDRNOTAVAIL' }, /^127\.0\.0\.1 is not an address of this machine\..*BERTH_HOST/],
    [{ syscall: 'listen', code: 'EACCES' }, /^This user cannot listen on port 3000\..*BERTH_PORT/],
    [{ syscall: 'listen', code: 'ENOMEM', message: 'no memory' }, /^no memory$/],
    [
      { syscall: 'mkdir', code: 'EACCES' },
      /^This user cannot write to the data folder \/var\/lib\/berth\..*BERTH_DATA/,
    ],
    [{ syscall: 'mkdir', code: 'ENOTDIR' }, /^\/var\/lib\/berth is not a folder\..*BERTH_DATA/],
    [{ syscall: 'mkdir', code: 'ENOENT' }, /^The data folder \/var\/lib\/berth cannot be created\..*BERTH_DATA/],
    [{ syscall: 'write', code: 'ENOSPC' }, /^The disk of the data folder \/var\/lib\/berth is full\./],
    [new Error('Another Berth is running'), /^Another Berth is running$/],
  ]
  for (const [error, messagePattern] of cases) assert.match(faultText(error, config), messagePattern)
})
