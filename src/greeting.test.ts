import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText, greeting, type Welcome } from './greeting.ts'

const config = { host: '127.0.0.1', port: 3000, dataFolder: '/var/lib/berth' }
const welcome: Welcome = { config, version: '1.2.3', tokenLocation: '/var/lib/berth/access-token', isNew: true }

test('the greeting of the first start shows the call that creates the administrator', () => {
  const text = greeting(welcome)
  assert.match(text, /Berth 1\.2\.3 is serving\n/)
  assert.match(text, /Reference +http:\/\/127\.0\.0\.1:3000\/docs/)
  assert.match(text, /curl -sS http:\/\/127\.0\.0\.1:3000\/api\/auth\.createAdmin/)
  assert.match(text, /Bearer \$\(cat \/var\/lib\/berth\/access-token\)"/)
})

test('the greeting of a later start shows how to sign in', () => {
  assert.match(greeting({ ...welcome, isNew: false }), /\/api\/auth\.login/)
})

test('the greeting names the setting that contains the token', () => {
  const text = greeting({ ...welcome, tokenLocation: 'BERTH_ACCESS_TOKEN' })
  assert.match(text, /Bearer \$BERTH_ACCESS_TOKEN"/)
})

test('paths are quoted for the shell, and IPv6 addresses in URLs are in brackets', () => {
  assert.match(greeting({ ...welcome, tokenLocation: "/my data/it's" }), /\$\(cat '\/my data\/it'\\''s'\)/)
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
