/**
 * The health check of MySQL and MariaDB during initialization, with a running server, and with a server that hangs. Both
 * kinds have the same check, so the test runs with MariaDB, or with both if BERTH_TEST_ALL is set.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { mariadb } from '../../src/kinds/mariadb/mariadb.ts'
import { mysql } from '../../src/kinds/mysql/mysql.ts'
import { until } from '../engine/until.ts'
import { containersOf, logOf, withoutTimeZones } from './container.ts'
import { representative } from './representative.ts'
import { docker } from './swarm.ts'

const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'x', databaseRootPassword: 'y' }

describe('the health check of a server', { concurrency: 2 }, () => {
  for (const [kind, version] of representative([[mariadb, '11.8'] as const, [mysql, '8.4'] as const])) {
    const { label, begin, startServer, check, checkWithoutPauses, ready, remove, removeAll } = containersOf(
      kind,
      kind.name,
    )
    after(removeAll)

    test(`${kind.label}: the check requires TCP, slows down after a success, and detects a hang`, async () => {
      const [volume] = await docker('volume', 'create', '--label', label)
      const options = ['--volume', `${volume}:${kind.dataPath(version)}`, ...withoutTimeZones, '--']
      const server = await startServer(version, settings, ...options)
      await docker('kill', '--signal', 'STOP', server.id)
      const application = connect(server.address)
      application.on('error', () => undefined)
      await once(application, 'connect')
      const later = { exitCode: 1, pauses: '10' }
      assert.deepEqual(
        await checkWithoutPauses(server.id),
        later,
        'after a success, the next check waits for 10 seconds',
      )
      await docker('kill', '--signal', 'CONT', server.id)
      const answers = async () => (await checkWithoutPauses(server.id)).exitCode === 0
      await until('the server to accept the queued connection', answers)
      application.destroy()
      assert.equal((await ready(server, settings)).exitCode, 0)
      await docker('stop', server.id)
      await remove(server)

      // This server uses the files of the first, so its image initializes nothing.
      const isolated = await begin(version, settings, ...options, '--skip-networking')
      const isUp = async () => /ready for connections[\s\S]* port: 0 /.test(await logOf(isolated.id))
      await until('the server to run without TCP', isUp, 120_000)
      assert.equal(await check(isolated.id), 1, 'a server that is being initialized answers on its socket only')
      assert.notEqual((await ready(isolated, settings)).exitCode, 0, 'the server is not ready')
      await remove(isolated)
    })
  }
})
