import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { tarOf } from './tar.ts'

test('writes an archive that tar reads', () => {
  const long = `/${'x'.repeat(99)}`
  const archive = tarOf([
    { path: '/etc/a b.cnf', content: 'ü\n', mode: 0o600 },
    { path: long, content: '', mode: 0o444 },
    { path: '/c', content: 'c'.repeat(513), mode: 0o755 },
  ])
  assert.equal(archive.length % 512, 0)
  const list = execFileSync('tar', ['-tvf', '-', '--numeric-owner'], { input: archive }).toString()
  const rows = list
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+\d{4}-\S+ \S+ /, ' ').replace(/ +/g, ' '))
  assert.deepEqual(rows, ['-rw------- 0/0 3 etc/a b.cnf', `-r--r--r-- 0/0 0 ${long.slice(1)}`, '-rwxr-xr-x 0/0 513 c'])
  assert.equal(execFileSync('tar', ['-xOf', '-', 'etc/a b.cnf'], { input: archive }).toString(), 'ü\n')
})
