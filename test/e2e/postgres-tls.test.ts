/** TLS of PostgreSQL in real containers: psql and the programs of the kind verify the server, and `require` holds. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import type { TlsMode } from '../../src/kinds/kind.ts'
import { postgres } from '../../src/kinds/postgres/postgres.ts'
import { containersOf, done, inside, type Server, shell } from './container.ts'
import { representative } from './representative.ts'
import { assertSnippetsVerify } from './snippets.ts'
import { refusalOf } from './swarm.ts'
import { newAuthority, type TlsFiles, tlsFilesFor } from './tls-files.ts'

const settings = { databaseName: 'shop', databaseUser: 'owner', databasePassword: 'secret' }
const serverName = 'shop-db'
const { start, healthy, serverOf, check, ready, urlOf, removeAll } = containersOf(postgres, 'postgres')
const tls = postgres.tls!

after(removeAll)

for (const version of representative(['18', '17', '15'])) {
  describe(`PostgreSQL ${version}`, () => {
    let server: Server
    let files: TlsFiles
    const verified = () => ({ ...server, address: { ...server.address, tls: { serverName } } })
    const applyMode = (mode: TlsMode) => inside(server.id, tls.applyMode!(settings, verified().address, mode))
    const rules = async () => (await shell(server.id, 'cat "$PGDATA/pg_hba.conf"')).stdout

    async function startWith(mode: TlsMode) {
      const env = Object.entries(postgres.env(settings)).flatMap(([name, value]) => ['--env', `${name}=${value}`])
      const { args } = postgres.launch!(settings, ['-c', 'log_statement=all'], null, mode)
      const id = await start(version, '--volume', `${files.folder}:/etc/berth/tls:ro`, ...env, '--', ...args)
      await healthy(id)
      server = await serverOf(id)
    }

    before(async () => {
      files = await tlsFilesFor(`postgres:${version}`, tls.user, [serverName, 'localhost'])
      await startWith('allow')
    })
    after(() => files.remove())

    test('the programs of the kind verify the authority and the name', async () => {
      assert.deepEqual(await ready(verified(), settings), { exitCode: 0, stdout: `${version}\n`, stderr: '' })
      const other = { ...server, address: { ...server.address, tls: { serverName: 'other-db' } } }
      assert.match((await ready(other, settings)).stderr, /does not match host name/)
      const good = files.ca
      files.write('ca', (await newAuthority()).certificatePem)
      assert.match((await ready(verified(), settings)).stderr, /certificate verify failed/)
      files.write('ca', good)
    })

    test('the programs that the console shows connect, and verify authority and name', () =>
      assertSnippetsVerify(
        {
          ...server.address,
          ...{ kind: postgres, settings, serverName, ca: files.ca, image: `postgres:${version}`, network: 'bridge' },
        },
        'other-db',
      ))

    test('with require, plain connections are ended and refused, and TLS and the health check work', async () => {
      const before = await rules()
      const plain = new pg.Client({ connectionString: urlOf(server, settings) })
      plain.on('error', () => undefined)
      await plain.connect()
      const ended = new Promise<void>((resolve) => plain.on('end', () => resolve()))
      const count = async () => (await inside(server.id, tls.plainConnections!(settings, verified().address))).stdout
      assert.equal(await count(), '1\n')
      assert.deepEqual(await applyMode('require'), done)
      await ended
      assert.equal(await count(), '0\n')
      assert.equal(await refusalOf(urlOf(server, settings)), '28000')
      assert.match((await ready(server, settings)).stdout, /^\d+\n$/, 'prefer uses TLS')
      assert.equal((await shell(server.id, 'rm -r /dev/shm/.berth-answered')).exitCode, 0)
      assert.equal(await check(server.id), 0)

      const lines = await rules()
      assert.equal(lines.replace(/.*# Berth: .*\n/g, ''), before)
      assert.equal((await applyMode('require')).exitCode, 0)
      assert.equal(await rules(), lines, 'safe to repeat')
      assert.deepEqual(await applyMode('allow'), done)
      assert.equal(await rules(), before)
      assert.equal(await refusalOf(urlOf(server, settings)), '')
    })

    test('allow needs no TLS, and keeps the rules and the owner of a file that the command names', async () => {
      const own = '/var/lib/postgresql/own.conf'
      await shell(
        server.id,
        `printf 'local all all trust\\nhost all all all scram-sha-256' >${own}; chown postgres: ${own}`,
      )
      const query = `psql -h /var/run/postgresql -U owner -d shop -c "alter system set hba_file = '${own}'"`
      assert.equal((await shell(server.id, query)).exitCode, 0)
      assert.equal((await applyMode('require')).exitCode, 1, 'the running server reads another file')
      assert.equal((await applyMode('off')).exitCode, 0)
      const { stdout } = await shell(server.id, `stat -c %U ${own}; cat ${own}`)
      assert.equal(stdout, 'postgres\nlocal all all trust\nhost all all all scram-sha-256\n')
    })

    test('a reload serves a new certificate and keeps connections', async () => {
      const client = new pg.Client({
        connectionString: urlOf(server, settings),
        ssl: { ca: files.ca, servername: serverName, checkServerIdentity: () => undefined },
      })
      await client.connect()
      await files.issue([serverName, 'second-name'])
      assert.deepEqual(await inside(server.id, tls.reload(settings, server.address)), done)
      const second = { ...server, address: { ...server.address, tls: { serverName: 'second-name' } } }
      assert.equal((await ready(second, settings)).exitCode, 0)
      assert.deepEqual((await client.query('select 1 as it')).rows, [{ it: 1 }])
      await client.end()
    })
  })
}
