/** A second process writes to the store of a running Berth, and neither process disturbs the other. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStoreForCommand } from '../../src/installation/commands/open-store.ts'
import { bareEnv } from '../fixtures/bare-env.ts'
import { until } from '../engine/until.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type Berth, installationToken, startBerth } from '../fixtures/harness.ts'
import { configOf, fill } from './filled-store.ts'

const writeCount = 200

/**
 * Runs a transaction for each number on standard input, and prints the number. Each transaction reads before it writes,
 * as the transaction of a command does.
 */
const program = `
  import { createInterface } from 'node:readline'
  import { openStoreForCommand } from '${new URL('../../src/installation/commands/open-store.ts', import.meta.url)}'
  import { parseConfig } from '${new URL('../../src/config.ts', import.meta.url)}'
  const store = await openStoreForCommand(parseConfig(process.env))
  for await (const line of createInterface(process.stdin)) {
    await store.transact(async (tx) => {
      const accounts = await tx.selectFrom('account').select('id').execute()
      await tx.updateTable('account').set({ image: 'picture ' + line }).where('id', '=', accounts[0].id).execute()
    })
    process.stdout.write(line + '\\n')
  }
  await store.close()`

function secondProcess({ folder }: Pick<Berth, 'folder'>) {
  const env = bareEnv({ BERTH_DATA: folder, BERTH_ACCESS_TOKEN: installationToken })
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return { stdin: child.stdin, stdout: child.stdout, ended: once(child, 'exit') }
}

test(`Berth answers every concurrent write with 200 while another process writes ${writeCount} times`, async () => {
  await using berth = await startBerth()
  const { ended, stdin, stdout } = secondProcess(berth)
  stdout.resume()
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  const names = Array.from({ length: 16 }, (_, n) => `caller ${n} of `)
  const projects = await Promise.all(names.map((name) => berth.call('project.create', { name })))
  stdin.end(Array.from({ length: writeCount }, (_, n) => `${n}\n`).join(''))
  const counts = await Promise.all(
    projects.map(async ({ body: { projectId, name } }) => {
      for (let calls = 0; ; calls++) {
        if (isOver) return calls
        const { status, body } = await berth.call('project.update', { projectId, name: `${name as string}${calls}` })
        assert.equal(status, 200, JSON.stringify(body))
      }
    }),
  )
  assert.deepEqual(await ended, [0, null])
  const rows = await berth.app.db.selectFrom('project').select('name').orderBy('id').execute()
  assert.deepEqual(rows.map(({ name }) => name).sort(), counts.map((count, n) => `${names[n]!}${count - 1}`).sort())
  assert.ok(Math.min(...counts) > 5, `${counts.join()} calls`)
  const { body } = await berth.call<{ image: string }>('auth.get')
  assert.equal(body.image, `picture ${writeCount - 1}`)
})

test('Berth reads the changes of the other process', async () => {
  await using berth = await startBerth()
  await berth.admin()
  const { ended, stdin, stdout } = secondProcess(berth)
  for (let n = 0; n < 50; n++) {
    stdin.write(`${n}\n`)
    await once(stdout, 'data')
    const read = async () => (await berth.call<{ image: string }>('auth.get')).body.image === `picture ${n}`
    await until('Berth to read the change', read, 5000)
  }
  stdin.end()
  assert.deepEqual(await ended, [0, null])
})

test('refuses a folder without a store of this version or without its key, and changes nothing', async (t) => {
  const [empty, older, keyless] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]
  await fill(configOf(older))
  const file = new DatabaseSync(join(older, 'berth.db'))
  file.exec('delete from "kysely_migration" where "name" >= \'0005\'')
  file.close()
  await fill(configOf(keyless, { BERTH_MASTER_KEY: 'ab'.repeat(32) }))
  const blank = join(empty, 'blank')
  mkdirSync(blank)
  writeFileSync(join(blank, 'berth.db'), '')
  const cases: [string, RegExp][] = [
    [empty, /^Error: There is no store of Berth in .+\. Set BERTH_DATA/],
    [blank, /Another version of Berth wrote the store/],
    [older, /Another version of Berth wrote the store/],
    [keyless, /There is no master key in .+\/master\.key or in the setting BERTH_MASTER_KEY/],
  ]
  for (const [folder, message] of cases) await assert.rejects(openStoreForCommand(configOf(folder)), message)
  const other = { BERTH_MASTER_KEY: 'cd'.repeat(32) }
  await assert.rejects(openStoreForCommand(configOf(keyless, other)), /master key does not open this store/)
  assert.deepEqual([...readdirSync(empty), ...readdirSync(blank), ...readdirSync(keyless)].sort(), [
    'access-token',
    'berth.db',
    'berth.db',
    'berth.lock',
    'blank',
  ])
})
