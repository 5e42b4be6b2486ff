/**
 * Berth is killed with SIGKILL during calls. A subscriber that resumes gets every committed change. BERTH_EVENT_KILLS
 * sets the number of kills. The long form is a part of the crash test (test/crash).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { subscribe } from '../crash/events.ts'
import { randomFrom } from '../crash/random.ts'
import { rowsOf } from '../crash/store.ts'
import { berthProcess } from '../e2e/process.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { folderUnder } from '../fixtures/folder.ts'

const kills = Number(process.env.BERTH_EVENT_KILLS ?? 5)
const seed = Number(process.env.BERTH_CRASH_SEED ?? 7)
const callers = 8
const maxRunMs = 400

test(`a subscriber that resumes gets every committed change, in order and once, in ${kills} kills`, async (t) => {
  await using cleanup = new AsyncDisposableStack()
  const folder = folderUnder(cleanup)
  const berth = await berthProcess(folder)
  cleanup.defer(() => berth.kill())
  await berth.start()
  const subscriber = await subscribe(berth.base, await berth.signIn(), folder)
  cleanup.defer(() => subscriber.close())
  const random = randomFrom(seed, 'kills')
  let [isUp, names, acknowledged] = [true, 0, 0]
  /** The ids of acknowledged projects. */
  const projectIds: string[] = []

  async function callUntilKilled() {
    while (isUp) {
      const name = `project ${++names}`
      const created = await berth.call<{ projectId: string }>('project.create', { name }).catch(onCut)
      if (created === null) return
      assert.equal(created.status, 200)
      const { projectId } = created.body
      projectIds.push(projectId)
      const changed = await berth.call('project.update', { projectId, name: `${name} changed` }).catch(onCut)
      if (changed === null) return
      acknowledged += 2
    }
  }

  /** A call may only fail because of a kill. */
  function onCut(error: unknown): null {
    if (isUp) throw error
    return null
  }

  for (let kill = 0; kill < kills; kill++) {
    const calls = Promise.all(Array.from({ length: callers }, callUntilKilled))
    await pause(random.below(maxRunMs))
    isUp = false
    await berth.kill()
    await calls
    await berth.start()
    await subscriber.compare()
    isUp = true
  }
  const created = rowsOf<{ recordId: string }>(
    folder,
    "select recordId from event where kind = 'project' and change = 'created'",
  )
  const missing = new Set(projectIds).difference(new Set(created.map(({ recordId }) => recordId)))
  await compareData('acknowledged projects without an event', () => assert.deepEqual([...missing], []))
  const { events, connections, repeats } = subscriber.figures
  t.diagnostic(`${acknowledged} changes acknowledged, ${events} events, ${connections} connections, ${repeats} repeats`)
  assert.ok(events > 0 && connections > kills / 2)
})
