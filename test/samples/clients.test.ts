/** The clients that stay connected for samples: when they are replaced, and that none remains. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenProgram } from '../../src/engine/exec.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { until } from '../engine/until.ts'
import { answerQuestions } from './answers.ts'

/** The programs that were opened, and whether each is still open. */
function openedPrograms({ engine }: TestBerth) {
  const opened: { isOpen: boolean }[] = []
  const { openProgram } = engine
  engine.openProgram = async (task, program): Promise<OpenProgram> => {
    const state = { isOpen: true }
    opened.push(state)
    const { stdin, stdout, close } = await openProgram(task, program)
    return {
      stdin,
      stdout,
      close() {
        state.isOpen = false
        close()
      },
    }
  }
  return opened
}

const openOf = (programs: readonly { isOpen: boolean }[]) => programs.filter(({ isOpen }) => isOpen).length

/** Wakes the samples until the programs are as expected. */
const untilPrograms = (berth: TestBerth, what: string, isExpected: () => boolean) =>
  until(what, async () => {
    berth.app.wake('samples')
    return isExpected()
  })

const clientsOf = (berth: TestBerth) => databaseClientsOf(berth, kindNamed('postgres'))

test('a new container gets a new client, and that of the former one is closed', async () => {
  await using berth = await startTestBerth()
  const opened = openedPrograms(berth)
  answerQuestions(berth, () => '2|100|1|0|0||0')
  const database = await clientsOf(berth).createDeployed()
  await untilPrograms(berth, 'a client', () => opened.length === 1)
  await clientsOf(berth).complete('reload', database, { appName: database.appName })
  await untilPrograms(berth, 'another client', () => opened.length === 2)
  assert.deepEqual([opened[0]!.isOpen, opened[1]!.isOpen], [false, true])
})

test('a database that is stopped or removed has no client', async () => {
  await using berth = await startTestBerth()
  const opened = openedPrograms(berth)
  answerQuestions(berth, () => '2|100|1|0|0||0')
  const [stopped, removed] = [await clientsOf(berth).createDeployed(), await clientsOf(berth).createDeployed()]
  await untilPrograms(berth, 'two clients', () => openOf(opened) === 2)
  await berth.ok('postgres.stop', { postgresId: stopped.postgresId }, wait)
  await untilPrograms(berth, 'the end of a client', () => openOf(opened) === 1)
  await berth.ok('postgres.remove', { postgresId: removed.postgresId }, wait)
  await untilPrograms(berth, 'the end of the other client', () => openOf(opened) === 0)
})
