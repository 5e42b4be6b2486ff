import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loginOutput } from './login-output.ts'

const outputs: [stdout: string, version: string | null, paths: string[], isRootRefused?: boolean][] = [
  ['', null, []],
  ['16\n', '16', []],
  ['8.4\n/var/lib/mysql\n/srv/my data\n/var/lib/mysql\n', '8.4', ['/var/lib/mysql', '/srv/my data']],
  ['8.0\r\n/data\r\n', '8.0', ['/data']],
  ['8.4\nroot refused\n/var/lib/mysql\n', '8.4', ['/var/lib/mysql'], true],
  ['WARNING\n/data\n', null, ['/data']],
]

test('reads the version, the paths and the refusal of root', () => {
  for (const [stdout, version, paths, isRootRefused = false] of outputs) {
    assert.deepEqual(loginOutput(stdout), { version, paths, isRootRefused })
  }
})
