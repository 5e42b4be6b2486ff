/** Samples of databases that cannot be measured: they are down, or a restore uses them. */
import { test } from 'node:test'
import { insertRun } from '../../src/backups/run-queries.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { until } from '../engine/until.ts'
import { answerQuestions } from './answers.ts'

const deployed = (berth: TestBerth) => databaseClientsOf(berth, kindNamed('postgres')).createDeployed()

/** Inserts the row of a restore that has begun to load. The loop of runs skips it, because it is not due. */
async function beginRestore(berth: TestBerth, databaseId: string): Promise<void> {
  const columns = { action: 'restore', trigger: 'manual', kind: 'postgres', step: 'load', status: 'running' } as const
  const rest = { database: 'shop', destinationId: 'none', dueAt: '2040-01-01T00:00:00.000Z', databaseId }
  const id = berth.app.newId()
  await berth.app.transact((tx) => insertRun(tx, { ...columns, ...rest, id }, berth.now()))
}

/** Makes the server of a database end at each start, and waits until this is known. */
async function breakDown(berth: TestBerth, databaseId: string, appName: string): Promise<void> {
  berth.engine.behave(appName, 'failed:exit')
  await until('the server to be down', async () => {
    const rows = berth.app.db.selectFrom('database').select('observed').where('id', '=', databaseId)
    return (await rows.executeTakeFirstOrThrow()).observed === 'down'
  })
}

const uncountable: [title: string, hinder: (berth: TestBerth, databaseId: string, appName: string) => Promise<void>][] =
  [
    ['are down', breakDown],
    ['are restored', beginRestore],
  ]
for (const [title, hinder] of uncountable) {
  test(`databases that ${title} keep no other volume from being counted`, async () => {
    await using berth = await startTestBerth()
    let kibibytes = 1
    answerQuestions(
      berth,
      () => '2|100|1|0|0||0',
      () => kibibytes,
    )
    // In one turn the volumes of two databases are counted.
    for (let i = 0; i < 2; i++) {
      const { postgresId, appName } = await deployed(berth)
      await hinder(berth, postgresId as string, appName as string)
    }
    const { appName } = await deployed(berth)
    const untilBytes = (bytes: number) =>
      until(`the size to be ${bytes}`, async () => {
        berth.app.wake('samples')
        return (await berth.app.metrics()).match(`berth_database_volume_bytes\\{.*service="${appName}".*\\} ${bytes}`)
      })
    await untilBytes(1024)
    kibibytes = 3
    berth.pass(10 * 60_000)
    await untilBytes(3072)
  })
}

test('a database that is down is not up, and one that is also being restored has no value', async () => {
  await using berth = await startTestBerth()
  answerQuestions(berth, () => '2|100|1|0|0||0')
  const { postgresId, appName } = await deployed(berth)
  const untilUp = (expected: string | undefined) =>
    until(`up to be ${expected}`, async () => {
      berth.app.wake('samples')
      return /^berth_database_up\{.*\} (\d)$/m.exec(await berth.app.metrics())?.[1] === expected
    })
  await breakDown(berth, postgresId as string, appName as string)
  await untilUp('0')
  await beginRestore(berth, postgresId as string)
  await untilUp(undefined)
})
