/**
 * Tests a full disk with the data folder and the log. Berth must refuse writes with a message, answer reads, and continue
 * when the disk has free space again.
 */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { until } from '../engine/until.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type Disk, openDisk } from './disk.ts'

const mebibyte = 1024
const noEngine = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }
const sentence = /^The disk of Berth's data folder is full\. Free some space\. Nothing was changed$/

async function begin(t: TestContext, kibibytes: number, outputs?: string) {
  const disk = await openDisk(t, kibibytes)
  const berth = await berthProcess(disk.folder, noEngine, { ...disk, outputs: outputs ?? disk.hostFolder })
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  return { disk, berth }
}

const description = 'x'.repeat(1900)
const create = (berth: BerthProcess, name: string) =>
  berth.call<{ message: string; code: string }>('project.create', { name, description })

async function namesOf(berth: BerthProcess) {
  const { status, body } = await berth.call<{ name: string }[]>('project.all')
  assert.equal(status, 200)
  return body.map(({ name }) => name)
}

/** Asserts that Berth answers with exactly these projects. */
const compareNames = (berth: BerthProcess, names: string[]) =>
  compareData('the projects', async () => assert.deepEqual(await namesOf(berth), names))

/**
 * Creates projects until Berth refuses them. Returns the names of the created projects. `fill` fills the space that Berth
 * frees in its write-ahead log at the first refusal; null: the first refusal is the end.
 */
async function createUntilRefused(berth: BerthProcess, fill: (() => void) | null): Promise<string[]> {
  const names: string[] = []
  for (let refusals = 0; ; ) {
    const name = `project ${names.length}`
    const { status, body } = await create(berth, name)
    if (status === 200) names.push(name)
    refusals = status === 200 ? 0 : refusals + 1
    if (status !== 200) {
      assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
      assert.match(body.message, sentence)
      if (fill === null || refusals === 3) return names
      fill()
    }
  }
}

async function readyOf({ base }: BerthProcess) {
  const response = await fetch(`${base}/readyz`)
  const { issues } = (await response.json()) as { issues: { path: string; message: string }[] }
  return issues.find(({ path }) => path === 'store')?.message ?? 'ok'
}

/** Asserts that the store is intact and has exactly these projects. */
async function check({ sql }: Disk, names: string[]) {
  const integrity = await sql('pragma integrity_check')
  const rows = await sql('select "name" from "project" order by "id"')
  await compareData('the store', () => {
    assert.deepEqual(integrity, [{ integrity_check: 'ok' }])
    assert.deepEqual(
      rows.map(({ name }) => name),
      names,
    )
  })
}

test('refuses writes and answers reads on a full disk, and continues with free space', async (t) => {
  const { disk, berth } = await begin(t, 4 * mebibyte)
  assert.equal((await create(berth, 'first')).status, 200)
  // Makes Berth store the time of the token's next use.
  await disk.sql(`update "token" set "lastUsedAt" = '${new Date(Date.now() - 3600_000).toISOString()}'`)
  disk.fill()
  const names = ['first', ...(await createUntilRefused(berth, disk.fill))]
  const many = await Promise.all(Array.from({ length: 100 }, (_, n) => create(berth, `at once ${n}`)))
  assert.deepEqual(new Set(many.map(({ status }) => status)), new Set([503]))
  await compareNames(berth, names)
  const password = { email: 'ada@example.org', password: 'correct horse' }
  assert.equal((await berth.call('auth.login', password)).status, 503)
  assert.equal((await fetch(`${berth.base}/healthz`)).status, 200)
  for (const page of ['/openapi.json', '/']) assert.equal((await fetch(`${berth.base}${page}`)).status, 200, page)

  disk.makeRoom()
  assert.equal((await create(berth, 'with room')).status, 200)
  assert.equal(await readyOf(berth), 'ok')
  await compareNames(berth, [...names, 'with room'])
  assert.equal((await berth.call('auth.login', password)).status, 200)
  assert.equal(await berth.stop(), 0)
  await check(disk, [...names, 'with room'])
  const lines = readFileSync(berth.logPath, 'utf8').trim().split('\n')
  assert.equal((JSON.parse(lines.at(-1)!) as { msg: string }).msg, 'stopped')
  assert.ok(lines.every((line) => typeof (JSON.parse(line) as { msg: unknown }).msg === 'string'))
})

test('after a kill on a full disk, serves the stored data or reports why it cannot start', async (t) => {
  const { disk, berth } = await begin(t, 4 * mebibyte, temporaryFolder(t))
  disk.fill()
  const names = await createUntilRefused(berth, disk.fill)
  await berth.kill()
  await berth.start()
  await compareNames(berth, names)
  assert.equal((await create(berth, 'refused')).status, 503)
  assert.equal(await berth.stop(), 0)
  disk.fill()
  const { status, errors } = await berth.runUntilExit()
  assert.equal(status, 1)
  assert.match(errors, /Berth cannot start\.\n\n +The disk of Berth's data folder is full\. Free some space/)
  disk.makeRoom()
  await berth.start()
  await compareNames(berth, names)
  assert.equal((await create(berth, 'with room')).status, 200)
  assert.equal(await berth.stop(), 0)
  await check(disk, [...names, 'with room'])
})

test('loses nothing if the write-ahead log fills the disk, and makes the checkpoint later', async (t) => {
  const { disk, berth } = await begin(t, 10 * mebibyte)
  const names = await createUntilRefused(berth, null)
  const logBytes = () => statSync(join(disk.hostFolder, 'berth.db-wal')).size
  assert.ok(logBytes() > 8 * mebibyte * 1024, `${logBytes()} bytes`)
  await compareNames(berth, names)
  await disk.resize(64 * mebibyte)
  await until('the free space to be used', async () => (await create(berth, 'with room')).status === 200)
  assert.ok(logBytes() < mebibyte * 1024, `${logBytes()} bytes`)
  await compareNames(berth, [...names, 'with room'])
  await berth.kill()
  await berth.start()
  await compareNames(berth, [...names, 'with room'])
  assert.equal(await berth.stop(), 0)
  await check(disk, [...names, 'with room'])
})
