/** The program that runs before the server of a replica set: the key that it makes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { textFile } from '../../lib/text-file.ts'

function run(folder: string, args: string[]) {
  const script = textFile('kinds/mongo/programs/start.sh', { keyPath: join(folder, '.berth/key') })
  return spawnSync('sh', ['-c', script, 'start.sh', 'printf', '%s|', ...args], { encoding: 'utf8' })
}

test('makes a random key that only its owner can read, and then starts the server', (t) => {
  const [one, two] = [temporaryFolder(t), temporaryFolder(t)] as const
  const args = ['mongod', '--replSet', "a b'c"]
  for (const folder of [one, two]) {
    const { status, stdout, stderr } = run(folder, args)
    assert.deepEqual([status, stdout, stderr], [0, args.map((arg) => `${arg}|`).join(''), ''])
    assert.equal(statSync(join(folder, '.berth')).mode & 0o777, 0o700)
    assert.equal(statSync(join(folder, '.berth/key')).mode & 0o777, 0o400)
    assert.match(readFileSync(join(folder, '.berth/key'), 'utf8'), /^[0-9a-f]{64}$/)
    assert.deepEqual(readdirSync(join(folder, '.berth')), ['key'])
  }
  const keys = [one, two].map((folder) => readFileSync(join(folder, '.berth/key'), 'utf8'))
  assert.notEqual(keys[0], keys[1])
})

test('keeps a key, and replaces one that a crash left empty', (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, '.berth'))
  writeFileSync(join(folder, '.berth/key'), '')
  writeFileSync(join(folder, '.berth/other'), 'stays')
  assert.equal(run(folder, ['mongod']).status, 0)
  const key = readFileSync(join(folder, '.berth/key'), 'utf8')
  assert.equal(key.length, 64)
  assert.equal(run(folder, ['mongod']).stdout, 'mongod|')
  assert.equal(readFileSync(join(folder, '.berth/key'), 'utf8'), key)
  assert.equal(readFileSync(join(folder, '.berth/other'), 'utf8'), 'stays')
})

test('does not start the server without a key', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, '.berth'), 'a file in place of the folder')
  chmodSync(folder, 0o755)
  const { status, stdout, stderr } = run(folder, ['mongod'])
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /Berth: cannot write the key of the replica set/)
})
