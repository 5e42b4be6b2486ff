/** The health check of MySQL and MariaDB during initialization, with a running server, and with a server that hangs. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { mariadb } from '../../src/kinds/mariadb/mariadb.ts'
import { mysql } from '../../src/kinds/mysql/mysql.ts'
import { until } from '../engine/until.ts'
import { containersOf, logOf } from './container.ts'
import { docker } from './swarm.ts'

const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'x', databaseRootPassword: 'y' }

/** Skips loading the time zones, which takes most of the image's initialization time and does not matter here. */
const withoutTimeZones = ['--env', 'MARIADB_INITDB_SKIP_TZINFO=1', '--env', 'MYSQL_INITDB_SKIP_TZINFO=1']

// Both tests mostly wait, so they can run concurrently.
describe('the health check of a server', { concurrency: 2 }, () => {
  for (const [kind, version] of [
    [mariadb, '11.8'],
    [mysql, '8.4'],
  ] as const) {
    const { label, begin, startServer, check, ready, remove, removeAll } = containersOf(kind, kind.name)
    after(removeAll)

    test(`${kind.label}: the check requires TCP, slows down after a success, and detects a hang`, async () => {
      const [volume] = await docker('volume', 'create', '--label', label)
      const options = ['--volume', `${volume}:${kind.dataPath(version)}`, ...withoutTimeZones, '--']
      const server = await startServer(version, settings, ...options)
      await docker('kill', '--signal', 'STOP', server.id)
      const application = connect(server.address)
      application.on('error', () => undefined)
      const stoppedAt = performance.now()
      assert.equal(await check(server.id), 1)
      assert.ok(performance.now() - stoppedAt >= 10_000, 'after a success, the next check waits for 10 seconds')
      await docker('kill', '--signal', 'CONT', server.id)
      assert.equal(await check(server.id), 0)
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
