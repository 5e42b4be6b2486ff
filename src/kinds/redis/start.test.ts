/** The program that runs before a Redis server: when it gives the server a snapshot as its append-only file. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { textFile } from '../../lib/text-file.ts'

type Row = [title: string, files: Record<string, string>, args: string[], snapshot: string | null]

/** Files in the data folder, arguments of the server, and the snapshot that the server gets. */
const rows: Row[] = [
  ['an empty folder', {}, [], null],
  ['other files', { 'berth-identity': 'x', 'users.acl': '' }, [], null],
  ['a snapshot', { 'dump.rdb': 'REDIS1', 'berth-identity': 'x' }, [], 'dump.rdb'],
  ['a snapshot of another name', { 'old data.rdb': 'REDIS1' }, [], 'old data.rdb'],
  ['a snapshot beside an unfinished one', { 'dump.rdb': 'REDIS1', 'temp-12.rdb': 'RED' }, [], 'dump.rdb'],
  ['an unfinished snapshot', { 'temp-12.rdb': 'RED' }, [], null],
  ['a snapshot that an argument names', { 'a.rdb': 'A', 'b.bin': 'B' }, ['--dbfilename', 'b.bin'], 'b.bin'],
  [
    'a snapshot that the last of two arguments names',
    { a: 'A', b: 'B' },
    ['--dbfilename', 'b', '--DBfilename', 'a'],
    'a',
  ],
  ['a snapshot that a configuration names', { 'a.rdb': 'A', 'b.bin': 'B' }, ['--include', 'FOLDER/my.conf'], 'b.bin'],
  ['a name without a file', { 'dump.rdb': 'REDIS1' }, ['--dbfilename', 'other.rdb'], 'dump.rdb'],
  ['an append-only file', { 'dump.rdb': 'REDIS1', 'appendonly.aof': '' }, [], null],
  ['a folder with append-only files', { 'dump.rdb': 'REDIS1', 'appendonlydir/appendonly.aof.manifest': '' }, [], null],
]

function run(folder: string, args: string[]) {
  const script = textFile('kinds/redis/programs/start.sh', { dataPath: folder })
  return spawnSync('sh', ['-c', script, 'start.sh', 'printf', '%s|', 'server', ...args], { encoding: 'utf8' })
}

function write(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

for (const [title, files, given, snapshot] of rows) {
  test(`${title}: the server gets ${snapshot ?? 'nothing'}`, (t) => {
    const folder = temporaryFolder(t)
    const isConfigured = given.some((arg) => arg.endsWith('.conf'))
    write(folder, isConfigured ? { ...files, 'my.conf': '# a\n  dbFilename "b.bin"\n' } : files)
    const args = given.map((arg) => arg.replace('FOLDER', folder))
    const { status, stdout, stderr } = run(folder, args)
    assert.deepEqual([status, stderr], [0, ''])
    assert.ok(stdout.endsWith(`server|${args.map((arg) => `${arg}|`).join('')}`), stdout)
    const file = join(folder, 'appendonly.aof')
    if (snapshot === null) return assert.equal(existsSync(file), 'appendonly.aof' in files)
    assert.equal(readFileSync(file, 'utf8'), files[snapshot])
    // Before version 7, the server appends to this file.
    appendFileSync(file, 'SET')
    assert.equal(run(folder, args).status, 0, 'a second start')
    assert.equal(readFileSync(file, 'utf8'), `${files[snapshot]}SET`)
    assert.equal(readFileSync(join(folder, snapshot), 'utf8'), files[snapshot], 'the snapshot stays')
  })
}

test('refuses to choose between two snapshots', (t) => {
  const folder = temporaryFolder(t)
  write(folder, { 'a.rdb': 'A', 'b.rdb': 'B' })
  const { status, stdout, stderr } = run(folder, [])
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(
    stderr,
    /^Berth: .* has no append-only file, but several snapshots: .*a\.rdb, .*b\.rdb\. Keep only one\n$/,
  )
  assert.ok(!existsSync(join(folder, 'appendonly.aof')))
})
