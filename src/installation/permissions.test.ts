/** Removal of the access of other users to the data folder. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { closeToOthers } from './permissions.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  return folder
}

function put(path: string, mode: number): string {
  writeFileSync(path, 'x')
  chmodSync(path, mode)
  return path
}

test("removes other users' access to a folder and everything in it", (t) => {
  const folder = openFolder(t)
  const deep = join(folder, 'proxy', 'keys')
  mkdirSync(deep, { recursive: true })
  for (const path of [join(folder, 'proxy'), deep]) chmodSync(path, 0o777)
  const files = Object.entries({ 'berth.db': 0o644, 'master.key': 0o666, 'proxy/keys/log': 0o640 }).map(
    ([name, mode]) => put(join(folder, name), mode),
  )
  const narrower = put(join(folder, 'access-token'), 0o400)
  const other = put(join(openFolder(t), 'page'), 0o644)
  symlinkSync(other, join(folder, 'link'))
  closeToOthers(folder)
  assert.deepEqual([folder, join(folder, 'proxy'), deep].map(modeOf), ['700', '700', '700'])
  assert.deepEqual(files.map(modeOf), ['600', '600', '600'])
  assert.deepEqual([narrower, other].map(modeOf), ['400', '644'], 'narrower modes stay, links are not followed')
})

test('refuses a folder that has files but no store of Berth, and changes nothing', (t) => {
  const folder = openFolder(t)
  const page = put(join(folder, 'page.html'), 0o644)
  assert.throws(() => closeToOthers(folder), /contains other files and no store of Berth\. Set BERTH_DATA/)
  assert.deepEqual([folder, page].map(modeOf), ['755', '644'])
})

test('accepts a folder that has only lost+found and hidden files', (t) => {
  const folder = openFolder(t)
  mkdirSync(join(folder, 'lost+found'))
  put(join(folder, '.bashrc'), 0o644)
  closeToOthers(folder)
  assert.equal(modeOf(folder), '700')
})
