/** The program that runs before a Redis server: it prepares the users, and a snapshot as the append-only file. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { textFile } from '../../lib/text-file.ts'

type Row = [title: string, files: Record<string, string>, args: string[], snapshot: string | null]

/** Files in the data folder, arguments of the server, and the snapshot that the server gets. */
const rows: Row[] = [
  ['an empty folder', {}, [], null],
  ['other files', { 'berth-identity': 'x', 'nodes.conf': '' }, [], null],
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

const firstUsers = ['user default on #0f ~* &* +@all', 'user berth-health on #0e +ping']

function run(folder: string, args: string[]) {
  const ownFolder = join(folder, '.berth')
  const paths = { dataPath: folder, ownFolder, usersPath: join(ownFolder, 'users.acl') }
  const firstUsersPath = join(folder, 'first-users')
  writeFileSync(firstUsersPath, `${firstUsers.join('\n')}\n`)
  const script = textFile('kinds/redis/programs/start.sh', { ...paths, firstUsersPath })
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

const saved = ['user berth-health on #0e resetchannels -@all +ping', 'user default on sanitize-payload #01 ~* &* +@all']
const alice = 'user alice on #02 ~a* -@all +get'
const [firstDefault, firstHealth] = firstUsers as [string, string]

/** The lines of the file of users before and after a start. Undefined: there is no file before, or it stays as it is. */
const userRows: [title: string, before: string[] | undefined, after: string[] | undefined][] = [
  ['no file', undefined, firstUsers],
  ['an empty file', [], firstUsers],
  ['a saved file', saved, saved],
  ['a file that an older server saved', ['user default on #01 ~* &* +@all', firstHealth], undefined],
  ['a file that a person wrote', ['user default #01 ~* on +@all', firstHealth], undefined],
  ['a saved file with more users', [alice, ...saved], [alice, ...saved]],
  ['a file without the default user', [alice], [...firstUsers, alice]],
  ['a default user without a password', ['user default on nopass ~* &* +@all', alice], [...firstUsers, alice]],
  ['a default user with a password and without need of it', ['user default on nopass #01 +@all'], firstUsers],
  ['a default user that is off', ['user default off #01 ~* &* +@all'], firstUsers],
  ['an incomplete default user', ['user default'], firstUsers],
  ['a health check of other secrets', ['user berth-health on #0a +ping', saved[1]!], [saved[1]!, firstHealth]],
  ['no user of the health check', [saved[1]!, '', alice], [saved[1]!, firstHealth, alice]],
  [
    'users with similar names',
    ['user default2 on #03', firstDefault],
    [firstDefault, firstHealth, 'user default2 on #03'],
  ],
]

for (const [title, before, after = before!] of userRows) {
  test(`${title}: the server gets its users`, (t) => {
    const folder = temporaryFolder(t)
    const path = join(folder, '.berth', 'users.acl')
    if (before !== undefined) write(folder, { '.berth/users.acl': before.map((line) => `${line}\n`).join('') })
    for (const start of ['first', 'second']) {
      const { status, stderr } = run(folder, [])
      assert.deepEqual([status, stderr], [0, ''], start)
      assert.equal(readFileSync(path, 'utf8'), after.map((line) => `${line}\n`).join(''), start)
    }
    assert.deepEqual(readdirSync(dirname(path)), ['users.acl'])
  })
}

test('a damaged file of users is set aside, and nobody else can read the new one', (t) => {
  const folder = temporaryFolder(t)
  const damaged = `${saved.join('\n')}\n\u0001\u0002 x\n`
  write(folder, { '.berth/users.acl': damaged, '.berth/users.acl.tmp-7-1': 'user' })
  const { status, stdout } = run(folder, [])
  assert.equal(status, 0)
  assert.match(stdout, /^Berth: .*users\.acl was damaged/)
  const own = join(folder, '.berth')
  assert.equal(readFileSync(join(own, 'users.acl.damaged'), 'utf8'), damaged)
  assert.equal(readFileSync(join(own, 'users.acl'), 'utf8'), `${firstUsers.join('\n')}\n`)
  assert.equal(statSync(join(own, 'users.acl')).mode & 0o077, 0)
  assert.deepEqual(readdirSync(own).sort(), ['users.acl', 'users.acl.damaged'])
})
