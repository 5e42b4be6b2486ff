/** The health check of a server that waits for its clearance, with the programs that ask and clear it, in a shell. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { awaitAnswerArgv, clearArgv, clearedHealth, parseAnswer, parseCleared } from '../engine/data/clearance.ts'
import { EngineFailure, type Outcome } from '../engine/engine.ts'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { healthCheck } from './health.ts'

const clearance = 'a1'.repeat(16)

/** The files of a container, and a function that runs its programs there. Each `sleep` takes a second of its clock. */
function container(t: TestContext) {
  const folder = temporaryFolder(t)
  const [memory, programs, data] = ['memory', 'programs', 'data'].map((name) => join(folder, name))
  for (const path of [memory!, programs!]) mkdirSync(path)
  const uptime = join(folder, 'uptime')
  writeFileSync(uptime, '100.00 0.00\n')
  const pass = `read -r now _ <'${uptime}'; echo "$((\${now%.*} + 1)).00 0.00" >'${uptime}'`
  writeFileSync(join(programs!, 'sleep'), `#!/bin/sh\n${pass}\n`, { mode: 0o755 })
  const run = (argv: readonly string[]): Promise<Outcome> => {
    const [program, ...rest] = argv.map((argument) =>
      argument.replaceAll('/dev/shm/.berth-', `${memory}/.berth-`).replaceAll('/proc/uptime', uptime),
    )
    const env = { PATH: `${programs}:${process.env.PATH}`, FOLDER: folder }
    return new Promise((resolve) =>
      execFile(program!, rest, { env }, (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
      ),
    )
  }
  const start = () => writeFileSync(join(folder, 'answers'), '')
  const check = (...files: [folder: string, clearance: string] | []) => {
    const health = healthCheck('answers() { echo >>"$FOLDER/asked"; [ -e "$FOLDER/answers" ]; }')
    return run(files.length === 0 ? health : clearedHealth(health, ...files))
  }
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8').length
  return { data: data!, run, start, check, asked, stop: () => rmSync(join(folder, 'answers')) }
}

const answer = async ({ run }: ReturnType<typeof container>) => parseAnswer(await run(awaitAnswerArgv(0)))

test('a server without a clearance is healthy as soon as it answers', async (t) => {
  const server = container(t)
  server.start()
  assert.equal((await server.check()).exitCode, 0)
  assert.equal(await answer(server), null)
})

test('a server that answers is healthy only after it was cleared, and later checks do not look at the file', async (t) => {
  const server = container(t)
  const { data, run, check, asked } = server
  assert.equal(await answer(server), null)
  assert.throws(() => parseCleared({ exitCode: 0, stdout: 'none\n', stderr: '' }), EngineFailure)
  assert.equal((await run(clearArgv(data, null))).exitCode, 1)
  server.start()
  assert.equal((await check(data, clearance)).exitCode, 1)
  assert.equal(asked(), 1, 'while it waits, the server is not asked again')
  assert.ok((await answer(server))! >= 0)
  assert.equal(parseCleared(await run(clearArgv(data, 'a mark'))), 'a mark')
  assert.equal(readFileSync(join(data, 'berth-clearance'), 'utf8'), `${clearance}\n`)
  assert.equal((await check(data, clearance)).exitCode, 0)
  rmSync(data, { recursive: true })
  assert.equal((await check(data, clearance)).exitCode, 0)
  server.stop()
  assert.equal((await check(data, clearance)).exitCode, 1)
})

test('another specification needs its own clearance, and a failed write keeps the earlier one', async (t) => {
  const server = container(t)
  const { data, run, check } = server
  server.start()
  mkdirSync(join(data, 'berth-clearance.new'), { recursive: true })
  writeFileSync(join(data, 'berth-clearance'), `${clearance}\n`)
  const other = 'b2'.repeat(16)
  assert.equal((await check(data, other)).exitCode, 1)
  const outcome = await run(clearArgv(data, null))
  assert.throws(() => parseCleared(outcome), /Cannot write the files .* in the data folder: .*directory/s)
  assert.equal(readFileSync(join(data, 'berth-clearance'), 'utf8'), `${clearance}\n`)
  rmSync(join(data, 'berth-clearance.new'), { recursive: true })
  assert.equal(parseCleared(await run(clearArgv(data, null))), null)
  assert.equal((await check(data, other)).exitCode, 0)
})
