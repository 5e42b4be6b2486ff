/** The program that copies a volume, in a shell on temporary folders. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { textFile } from '../../lib/text-file.ts'

const script = textFile('databases/adopt/copy-volume.sh')

/** The files by their path, with their contents. */
type Files = Record<string, string>

function foldersOf(t: TestContext, source: Files, present: Files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'berth copy '))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const paths = { source: join(folder, 'source'), to: join(folder, 'volume', 'data'), copied: join(folder, 'copied') }
  mkdirSync(paths.source)
  for (const [root, files] of [
    [paths.source, source],
    [paths.to, present],
  ] as const) {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
  }
  return paths
}

type Folders = ReturnType<typeof foldersOf>

/** Starts the program in a process group of its own. */
function start({ source, to, copied }: Folders, before = ''): ChildProcess {
  const argv = ['-c', before + script, 'copy-volume', source, copied, to, 'PG_VERSION', 'other']
  return spawn('sh', argv, { stdio: 'ignore', detached: true })
}

/** Waits until the program has copied everything or has ended. Returns the exit code; null: it waits. */
async function outcomeOf(child: ChildProcess, { copied }: Folders): Promise<number | null> {
  while (child.exitCode === null && !existsSync(copied)) await pause(10)
  if (child.exitCode !== null) return child.exitCode
  process.kill(-child.pid!)
  await once(child, 'exit')
  return null
}

async function run(folders: Folders, before = ''): Promise<number | null> {
  rmSync(folders.copied, { force: true })
  return outcomeOf(start(folders, before), folders)
}

function filesIn(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

const data: Files = { PG_VERSION: '17', 'base/1/PG_VERSION': '17', 'base/1/a file': 'rows', '.hidden': 'x' }

const below = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]))

describe('copies of a volume', { concurrency: true }, () => {
  for (const [title, source] of [
    ['at its root', data],
    ['in the folder of a version', below('18/docker', data)],
    ['in a folder beside others', { ...below('data', data), 'conf/file': 'y' }],
  ] as const) {
    test(`finds the data ${title}, copies it, and does not change it`, async (t) => {
      const folders = foldersOf(t, source)
      assert.equal(await run(folders), null)
      assert.deepEqual(filesIn(folders.to), filesIn(foldersOf(t, data).source))
      assert.deepEqual(filesIn(folders.source), filesIn(foldersOf(t, source).source))
    })
  }

  test('an incomplete copy begins again, and a complete one stays as it is', async (t) => {
    const folders = foldersOf(t, data, { '.berth-copying': '', 'base/1/a file': 'half', 'base/2/left': 'over' })
    assert.equal(await run(folders), null)
    assert.deepEqual(filesIn(folders.to), filesIn(folders.source))
    writeFileSync(join(folders.to, 'base/1/a file'), 'newer rows of the server')
    assert.equal(await run(folders), null)
    assert.equal(filesIn(folders.to)['base/1/a file'], 'newer rows of the server')
  })

  test('a copy that was killed begins again', async (t) => {
    const folders = foldersOf(t, data)
    const killed = start(folders, 'cp() { command cp "$@"; rm -r "$to/base"; kill -9 $$; }\n')
    await once(killed, 'exit')
    assert.equal(killed.signalCode, 'SIGKILL')
    assert.notDeepEqual(filesIn(folders.to), filesIn(folders.source))
    assert.equal(await run(folders), null)
    assert.deepEqual(filesIn(folders.to), filesIn(folders.source))
  })

  for (const [title, source, code] of [
    ['has no data', { file: 'x' }, 3],
    ['is empty', {}, 3],
    ['has the data of another kind', { ibdata1: 'x' }, 3],
    ['has data in two folders', { ...below('16', data), ...below('17', data) }, 4],
  ] as const) {
    test(`fails if the volume ${title}`, async (t) => {
      const folders = foldersOf(t, source)
      assert.equal(await run(folders), code)
      assert.deepEqual(Object.keys(filesIn(folders.to)), ['.berth-copying'])
    })
  }

  for (const [title, before, code] of [
    [
      'the space is too small',
      "df() { echo 'Filesystem 1024-blocks Used Available Capacity Mounted on'; echo 'a device 100 99 1 99% /a b'; }\n",
      5,
    ],
    ['a file changes meanwhile', 'cp() { command cp "$@"; echo more >>"$source/PG_VERSION"; }\n', 6],
    ['a file cannot be copied', 'cp() { return 1; }\n', 7],
    ['the copy lacks a file', 'cp() { command cp "$@"; rm "$to/base/1/PG_VERSION"; }\n', 7],
  ] as const) {
    test(`fails if ${title}, and succeeds when it is repeated`, async (t) => {
      const folders = foldersOf(t, data)
      assert.equal(await run(folders, before), code)
      assert.equal(existsSync(folders.copied), false)
      assert.equal(await run(folders), null)
      assert.deepEqual(filesIn(folders.to), filesIn(folders.source))
    })
  }
})
