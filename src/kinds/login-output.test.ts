import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loginOutput } from './login-output.ts'

const outputs: [stdout: string, version: string | null, paths: string[]][] = [
  ['', null, []],
  ['16\n', '16', []],
  ['8.4\n/var/lib/mysql\n/srv/my data\n/var/lib/mysql\n', '8.4', ['/var/lib/mysql', '/srv/my data']],
  ['8.0\r\n/data\r\n', '8.0', ['/data']],
  ['WARNING\n/data\n', null, ['/data']],
]

test('reads the version and the paths of a login program', () => {
  for (const [stdout, version, paths] of outputs) assert.deepEqual(loginOutput(stdout), { version, paths })
})
