/** The health check of MySQL and MariaDB over a server's life: set-up, answers, and a server that hangs. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { mariadb } from '../../src/kinds/mariadb.ts'
import { mysql } from '../../src/kinds/mysql.ts'
import { until } from '../engine/until.ts'
import { containersOf, logOf } from './container.ts'
import { docker } from './swarm.ts'

const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'x', databaseRootPassword: 'y' }

for (const [kind, version] of [[mariadb, '11.8'], [mysql, '8.4']] as const) {
  const { begin, startServer, check, removeAll } = containersOf(kind, kind.name)
  after(removeAll)

  test(`${kind.label}: the check waits for TCP, remembers an answer, and sees a server hang`, async () => {
    const isolated = await begin(version, settings, '--', '--skip-networking')
    await until('the server', async () => /ready for connections[^]* port: 0 /.test(await logOf(isolated.id)), 120_000)
    assert.equal(await check(isolated.id), 1, 'a server that is still being set up answers on its socket only')
    const { id, address } = await startServer(version, settings, '--')
    await docker('kill', '--signal', 'STOP', id)
    const application = connect(address)
    application.on('error', () => undefined)
    const stoppedAt = performance.now()
    assert.equal(await check(id), 1)
    assert.ok(performance.now() - stoppedAt >= 10_000, 'once it has answered it is asked every 10 seconds only')
    await docker('kill', '--signal', 'CONT', id)
    assert.equal(await check(id), 0)
    application.destroy()
  })
}
