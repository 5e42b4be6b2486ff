/** Tests of `berth ca` and `berth authority`. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, test } from 'node:test'
import { until } from '../engine/until.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

const rows = async () => (await cli.ok('authority', 'ls')).trim().split('\n')

test('prints the certificate for clients, and nothing else', async () => {
  const { status, stdout, stderr } = await cli.command(['ca'])
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/)
  const { fingerprint256 } = new X509Certificate(stdout)
  assert.match((await rows())[1]!, new RegExp(`^installation\\t1\\tcurrent\\tin .*\\t${fingerprint256}$`))
})

test('rotates the authority for clients in two steps', async () => {
  assert.match(
    await cli.ok('authority', 'rotate', 'installation'),
    /^installation: Generation 1 signs until you finish/,
  )
  const { stdout, stderr } = await cli.command(['authority', 'ls'])
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map((row) => row.split('\t').slice(0, 3).join(' ')),
    ['engines 1 current', 'installation 1 current', 'installation 2 next'],
  )
  assert.match(stderr, /^installation: Generation 1 signs until .* on all clients first \(berth ca\)\.$/m)
  assert.equal((await cli.ok('ca')).split('BEGIN CERTIFICATE').length, 3)
  const again = await cli.command(['authority', 'rotate', 'installation'])
  assert.deepEqual([again.status, /is under way\. Finish it first/.test(again.stderr)], [1, true])
  const unconfirmed = await cli.command(['authority', 'rotate', 'installation', '--finish'])
  assert.deepEqual([unconfirmed.status, /trust only the old certificate/.test(unconfirmed.stderr)], [2, true])
  assert.equal(
    await cli.ok('authority', 'rotate', 'installation', '--finish', '--yes'),
    'Generation 2 of installation signs, and only its certificate is trusted.\n',
  )
})

test('Berth finishes a rotation of the engines by itself', async () => {
  assert.match(await cli.ok('authority', 'rotate', 'engines'), /^engines: Berth adds generation 2 to the engines /)
  await until('the end of the rotation', async () => (await rows())[0]!.startsWith('engines\t2\tcurrent'))
  const refused = await cli.command(['authority', 'rotate', 'engines', '--finish', '--yes'])
  assert.deepEqual([refused.status, /Berth finishes by itself/.test(refused.stderr)], [2, true])
})

test('refuses another authority', async () => {
  const { status, stderr } = await cli.command(['authority', 'rotate', 'engine'])
  assert.deepEqual([status, /They are engines, installation/.test(stderr)], [2, true])
})
