import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { type DataPlace, mountOf, parsePlaces, placesArgv } from './data-places.ts'
import { engineFailure } from '../../../test/engine/engine-failure.ts'

const mounts: [path: string, mount: string][] = [
  ['/data', '/data'],
  ['/data/db', '/data'],
  ['/data/db/journal', '/data'],
  ['/database', '/'],
  ['/srv', '/'],
  ['/', '/'],
  ['/data/logs/1', '/data/logs'],
]

test('finds the mount with the longest mount point that contains the path', () => {
  for (const [path, mount] of mounts) assert.equal(mountOf(path, ['/', '/data', '/data/logs']), mount, path)
})

/** Runs the program on this machine. */
function placesOf(paths: string[]): DataPlace[] {
  const [program, ...args] = placesArgv(paths)
  return parsePlaces({ exitCode: 0, stdout: execFileSync(program!, args, { encoding: 'utf8' }), stderr: '' })
}

test('resolves links, links to missing folders, missing files and links that match a pattern', (t) => {
  const root = temporaryFolder(t)
  const [data, other] = [`${root}/the data`, `${root}/other`]
  for (const folder of [data, `${data}/shop`, `${other}/shop`]) mkdirSync(folder, { recursive: true })
  symlinkSync(other, `${data}/wal`)
  symlinkSync(`${other}/shop`, `${data}/linked`)
  symlinkSync('/nowhere/at/all', `${data}/gone`)
  symlinkSync(`${other}/t.MYD`, `${data}/shop/t.MYD`)
  writeFileSync(`${data}/shop/plain.ibd`, '')
  writeFileSync(`${data}/shop/u.isl`, `${other}/shop/u.ibd\n`)
  const targets = (paths: string[]) => placesOf(paths).map(({ path, target }) => [path, target])
  assert.deepEqual(targets([data, `${data}/`, `${data}/wal`, `${data}/wal/1`, `${data}/gone`, `${data}/new/file`]), [
    [data, data],
    [`${data}/`, data],
    [`${data}/wal`, other],
    [`${data}/wal/1`, `${other}/1`],
    [`${data}/gone`, '/nowhere/at/all'],
    [`${data}/new/file`, `${data}/new/file`],
  ])
  assert.deepEqual(targets([`${data}/*/`]), [
    [`${data}/linked`, `${other}/shop`],
    [`${data}/wal`, other],
  ])
  assert.deepEqual(targets([`${data}/*/*`, `${data}/none*`]), [
    [`${data}/shop/t.MYD`, `${other}/t.MYD`],
    [`${other}/shop/u.ibd`, `${other}/shop/u.ibd`],
  ])
  assert.deepEqual(
    placesOf(['/proc/self/status']).map(({ mount }) => mount),
    ['/proc'],
  )
})

const line = (mountPoint: string) => `36 35 98:0 / ${mountPoint} rw,noatime master:1 - ext4 /dev/root rw\n`

test('reads mount points with spaces', () => {
  const stdout = `/my data/a\0/my data/a\0${line('/')}${line('/my\\040data')}`
  assert.deepEqual(parsePlaces({ exitCode: 0, stdout, stderr: '' }), [
    { path: '/my data/a', target: '/my data/a', mount: '/my data' },
  ])
})

test('refuses a failed program and an output that was cut off', () => {
  const outcomes = [
    { exitCode: 1, stdout: line('/'), stderr: 'sh: readlink: not found' },
    { exitCode: 0, stdout: '/data\0/data\0', stderr: '' },
    { exitCode: 0, stdout: '', stderr: '' },
  ]
  for (const outcome of outcomes) assert.throws(() => parsePlaces(outcome), engineFailure('failed'))
})
