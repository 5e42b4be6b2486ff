/** Runs the test runner in a folder with planted test files. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../fixtures/folder.ts'

export interface Planted {
  /** @param body statements of one test; `attempt` is 1 at the first run of the file, then 2 and so on */
  plant(path: string, body: string): void
  /** Runs the test runner with these arguments. */
  run(...args: string[]): { status: number | null; output: string }
  /** What the files logged at their start and at their end, such as `begin a`, in the order of time. */
  log(): string[]
  /** The seconds by file that the next run uses. */
  durations: { read(): Record<string, number>; write(content: unknown): void }
}

const runner = join(import.meta.dirname, '../../scripts/test/main.ts')

export function planted(t: TestContext): Planted {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'log'), '')
  return {
    plant(path, body) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), program(path, body))
    },
    run(...args) {
      // The variable tells Node that it runs in a test file, where it starts no other.
      const { NODE_TEST_CONTEXT, ...env } = process.env
      const options = {
        cwd: folder,
        env: { ...env, XDG_CACHE_HOME: folder, TMPDIR: folder },
        encoding: 'utf8',
      } as const
      const { status, stdout, stderr } = spawnSync(process.execPath, [runner, ...args], options)
      return { status, output: stdout + stderr }
    },
    durations: durationsIn(join(folder, 'berth')),
    log: () => readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n'),
  }
}

function durationsIn(folder: string): Planted['durations'] {
  const path = join(folder, 'test-durations.json')
  return {
    read: () => JSON.parse(readFileSync(path, 'utf8')),
    write(content) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    },
  }
}

const program = (path: string, body: string): string => `
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'

const log = (what) => appendFileSync('log', what + ' ${path}\\n')
log('begin')
after(() => log('end'))
const attempt = readFileSync('log', 'utf8').split('\\n').filter((line) => line === 'begin ${path}').length

test('the test in ${path}', async () => {
  ${body}
})
`
