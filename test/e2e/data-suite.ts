/** Tests of a database whose volume is emptied or deleted by someone other than Berth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import type { Database } from '../fixtures/database-clients.ts'
import type { Case } from './kind-suite.ts'
import { containersOf, docker, engineApi, volumesWith } from './swarm.ts'

export const volumesNamed = (name: string) => volumesWith(engineApi, name)

/** Removes a volume with its exited containers. Retries, because a container uses its volume shortly after its end. */
const removeVolume = (name: string) =>
  until(`${name} to be removed`, async () => {
    const containers = await docker('ps', '--all', '--quiet', '--filter', `volume=${name}`)
    if (containers.length > 0) await docker('rm', ...containers).catch(() => undefined)
    await docker('volume', 'rm', name).catch(() => undefined)
    return (await volumesNamed(name)).length === 0
  })

/** Deletes the database's files and kills its container. Swarm starts a new one on the empty volume. */
async function emptyVolume({ appName }: Database, kind: Kind): Promise<void> {
  const [container] = await containersOf(appName)
  await docker('exec', container!, 'sh', '-c', 'rm -rf "$0"/*', kind.dataPath(null))
  await docker('kill', container!).catch(() => undefined)
  await until('the container to end', async () => !(await containersOf(appName)).includes(container!))
}

/** `context` is filled before the tests run. */
export function dataTests(context: Case): void {
  test('a database whose volume is emptied is stopped, with an error', async () => {
    const { databaseClients, database } = context
    await emptyVolume(database, databaseClients.kind)
    await until('a new container', async () => (await containersOf(database.appName)).length > 0, 30_000)
    await until('the service to be scaled to zero', async () => {
      const format = '{{.Spec.Mode.Replicated.Replicas}}'
      const [replicas] = await docker('service', 'inspect', database.appName, '--format', format)
      return replicas === '0'
    })
    // The scripts that initialize new data run until the end of the stop grace period.
    for (const container of await containersOf(database.appName)) {
      await docker('kill', container).catch(() => undefined)
    }
    const stopped = await databaseClients.waitUntil(
      'the last container to end',
      database,
      ({ containerState }) => containerState === null,
      60_000,
    )
    assert.deepEqual([stopped.applicationStatus, stopped.volumeFault], ['error', 'DataReplaced'])
    assert.match(stopped.statusReason!, /holds other data than before/)
  })

  test('a database whose volume is missing starts on a new volume only with acceptNewData', async () => {
    const { databaseClients, database } = context
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
    const started = await databaseClients.done('start', database, { acceptNewData: true })
    assert.deepEqual([started.applicationStatus, started.volumeFault], ['done', null])
    await databaseClients.open(database, (session) => session.write('after'))
  })
}
