/** The part of the suite of a kind about its data: a volume that is emptied or deleted behind Berth's back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { Case } from './kind-suite.ts'
import { containersOf, docker } from './swarm.ts'

export const volumesNamed = (name: string) => docker('volume', 'ls', '--quiet', '--filter', `name=${name}`)

/** With what the engine still has of containers that ended on it; one that has just ended uses it for a moment. */
const removeVolume = (name: string) =>
  until(`${name} to go`, async () => {
    const containers = await docker('ps', '--all', '--quiet', '--filter', `volume=${name}`)
    if (containers.length > 0) await docker('rm', ...containers).catch(() => undefined)
    await docker('volume', 'rm', name).catch(() => undefined)
    return (await volumesNamed(name)).length === 0
  })

/** Somebody deletes its files and kills its container: the swarm makes another one, on an empty volume. */
async function emptyBehind({ appName }: Database, kind: Kind): Promise<void> {
  const [container] = await containersOf(appName)
  await docker('exec', container!, 'sh', '-c', 'rm -rf "$0"/*', kind.dataPath(null))
  await docker('kill', container!).catch(() => undefined)
  await until('its end', async () => !(await containersOf(appName)).includes(container!))
}

export function dataTests(it: Case): void {
  test('whose volume is emptied while it runs is stopped within 10 s of its new container, and an error', async () => {
    const { databaseClients, database } = it
    await emptyBehind(database, databaseClients.kind)
    await until('another container', async () => (await containersOf(database.appName)).length > 0, 30_000)
    const began = performance.now()
    await until(
      'its end',
      async () => {
        const format = '{{.Spec.Mode.Replicated.Replicas}}'
        const [replicas] = await docker('service', 'inspect', database.appName, '--format', format)
        return replicas === '0'
      },
      15_000,
    )
    const tookMs = performance.now() - began
    assert.ok(tookMs < 10_000, `${Math.round(tookMs)} ms`)
    // Scripts that set up new data end when their time is over, and not before.
    for (const left of await containersOf(database.appName)) await docker('kill', left).catch(() => undefined)
    const halted = await databaseClients.waitUntil(
      'its last container to end',
      database,
      (one) => one.containerState === null,
      60_000,
    )
    assert.deepEqual([halted.applicationStatus, halted.volumeFault], ['error', 'DataReplaced'])
    assert.match(halted.statusReason!, /holds other data than before/)
  })

  test('whose volume is gone is not started, and no volume is made, until new data is accepted', async () => {
    const { databaseClients, database } = it
    const { volume } = await databaseClients.one(database)
    await removeVolume(volume!)
    const { status, body } = await databaseClients.callAndWait('start', database)
    assert.equal(status, 422)
    assert.match(
      body.message,
      /is missing on node .*\. .* acceptNewData: true to begin with empty data: backup\.restore/,
    )
    assert.equal((await databaseClients.one(database)).volumeFault, 'VolumeMissing')
    assert.deepEqual([await volumesNamed(volume!), await containersOf(database.appName)], [[], []])
    const again = await databaseClients.done('start', database, { acceptNewData: true })
    assert.deepEqual([again.applicationStatus, again.volumeFault], ['done', null])
    await databaseClients.open(database, (session) => session.write('after'))
  })
}
