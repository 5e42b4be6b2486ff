/**
 * Berth is killed 20 times while it reports conditions to a real receiver. Each condition arrives, a kill repeats at most
 * one message, and the repeat has the same id.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startReceiver } from '../alerts/receiver.ts'
import { randomFrom } from '../crash/random.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { berthProcess } from './process.ts'

const kills = 20
/** How many certificates expire before each start of Berth. */
const conditionsPerStart = 5
/** A start and the first messages take about as long. */
const maxRunMs = 700

test('every condition arrives in spite of 20 kills, with at most one repeat for each kill', async (t) => {
  await using receiver = await startReceiver()
  // The record of a message that was sent is written after the answer. A slow answer leaves more time for a kill.
  receiver.answerWith((response) => void setTimeout(() => response.writeHead(204).end(), 20))
  const folder = temporaryFolder(t)
  const berth = await berthProcess(folder, { DOCKER_HOST: 'unix:///nowhere/docker.sock' })
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const conditions = ['CertificateExpiring']
  const { status } = await berth.call('channel.create', { name: 'ops', type: 'webhook', url: receiver.url, conditions })
  assert.equal(status, 200)
  const random = randomFrom(1, 'kills')
  for (let kill = 0; kill < kills; kill++) {
    await pause(random.below(maxRunMs))
    await berth.kill()
    expireCertificates(folder, kill)
    await berth.start()
  }
  const names = Array.from({ length: kills }, (_, kill) => namesOf(kill)).flat()
  const toldOf = () => new Set(receiver.received.flatMap(({ data }) => data.conditions.map((each) => each.subjectName)))
  await until('all messages', async () => names.every((name) => toldOf().has(name)), 60_000)
  await until('the queue to be empty', async () => {
    const { body } = await berth.call<{ queued: number }[]>('channel.all')
    return body[0]!.queued === 0
  })
  const byId = Map.groupBy(receiver.received, ({ id }) => id)
  await compareData('the messages', () => assert.equal(byId.size, names.length, 'one message for each condition'))
  const repeats = receiver.received.length - byId.size
  t.diagnostic(`${names.length} messages, ${repeats} repeats`)
  assert.ok(repeats <= kills, `${repeats} repeats`)
  for (const same of byId.values()) assert.equal(new Set(same.map(({ text }) => text)).size, 1, 'a repeat is the same')
})

const namesOf = (kill: number) => Array.from({ length: conditionsPerStart }, (_, n) => `certificate-${kill}-${n}`)

/** Adds certificates that have expired, while Berth is not running. */
function expireCertificates(folder: string, kill: number): void {
  const at = '2020-01-01T00:00:00.000Z'
  const described = JSON.stringify([{ names: [], notBefore: at, notAfter: at }])
  const store = new DatabaseSync(join(folder, 'berth.db'))
  const insert = store.prepare(
    'insert into certificate (id, name, autoRenew, described, pairs, createdAt) values (?, ?, 0, ?, ?, ?)',
  )
  for (const name of namesOf(kill)) insert.run(name, name, described, '', at)
  store.close()
}
