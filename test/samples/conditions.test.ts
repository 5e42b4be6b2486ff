/** From samples to conditions: what begins, and what ends again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { until } from '../engine/until.ts'
import { answerQuestions } from './answers.ts'

interface Condition {
  name: string
  severity: string
  subjectName: string
  reason: string
}

const minuteMs = 60_000

/** Lets a minute pass until the present conditions of this name have this severity; null: there is none. */
function untilSeverity(berth: TestBerth, name: string, expected: string | null): Promise<Condition | true> {
  return until(`${name} to be ${expected}`, async () => {
    berth.pass(minuteMs)
    berth.app.wake('samples')
    berth.app.wake('conditions')
    const found = (await berth.ok<Condition[]>('condition.all')).find((each) => each.name === name)
    return (found?.severity ?? null) === expected && (found ?? true)
  })
}

test('connections near their limit begin a condition, which becomes critical and ends', async () => {
  await using berth = await startTestBerth()
  let connections = 85
  answerQuestions(berth, () => `${connections}|100|0|0|0||0`)
  const { appName } = await databaseClientsOf(berth, kindNamed('postgres')).createDeployed()
  const warning = (await untilSeverity(berth, 'ConnectionsNearLimit', 'warning')) as Condition
  assert.equal(warning.subjectName, appName)
  assert.match(warning.reason, /^Clients use 85 % or more of the 100 connections/)
  connections = 99
  await untilSeverity(berth, 'ConnectionsNearLimit', 'critical')
  connections = 20
  await untilSeverity(berth, 'ConnectionsNearLimit', null)
})

test('a server near its memory limit begins a condition, and a stop ends it', async () => {
  await using berth = await startTestBerth()
  answerQuestions(berth, () => '1|100|0|0|0||0')
  berth.engine.usage = () => ({ memoryBytes: 500 * 2 ** 20 })
  const clients = databaseClientsOf(berth, kindNamed('postgres'))
  const database = await clients.createDeployed({ memoryLimit: 512 })
  const { reason } = (await untilSeverity(berth, 'MemoryNearLimit', 'warning')) as Condition
  assert.match(reason, /95 % or more of its memory limit of 0\.5 GiB/)
  await clients.complete('stop', database)
  await untilSeverity(berth, 'MemoryNearLimit', null)
})

/** Lets time pass until the history has so many sizes of the data: a volume is counted every ten minutes. */
function untilSizes(berth: TestBerth, databaseId: string, count: number): Promise<true> {
  let sizes = 0
  return until(`${count} sizes`, async () => {
    const input = { databaseId, metric: 'volumeBytes', since: '2h' }
    const { series } = await berth.ok<{ series: { max: (number | null)[] }[] }>('metrics.query', input)
    const found = series[0]?.max.filter((value) => value !== null).length ?? 0
    if (found >= count) return true
    // The next turn comes a second after the last one.
    if (found > sizes || found === 0) berth.pass(11 * minuteMs)
    sizes = found
    berth.app.wake('samples')
    return null
  }) as Promise<true>
}

test('data that shrinks suddenly begins a condition, which ends when it is there again', async () => {
  await using berth = await startTestBerth()
  let mebibytes = 1000
  const kibibytes = () => mebibytes * 1024
  answerQuestions(berth, () => '1|100|0|0|0||0', kibibytes)
  const { postgresId } = await databaseClientsOf(berth, kindNamed('postgres')).createDeployed()
  await untilSizes(berth, postgresId as string, 2)
  mebibytes = 300
  const { reason } = (await untilSeverity(berth, 'DataShrunk', 'warning')) as Condition
  assert.match(reason, /^70 % or more of the 0\.977 GiB that the database had within the last 24 hours are gone/)
  mebibytes = 900
  await untilSeverity(berth, 'DataShrunk', null)
})
