/** The metadata of images, and the messages of a registry during a pull. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { dockerEngine } from '../engine.ts'
import { EngineFailure } from '../../engine.ts'

const hash = (digit: string) => `sha256:${digit.repeat(64)}`
const never = new AbortController().signal

test('returns the digest in the requested repository only', async (t) => {
  const digests = [`mirror.example.com/mysql@${hash('a')}`, `mysql@${hash('b')}`]
  const it = await fakeApi(({ path }) => [
    200,
    {
      Id: hash('1'),
      Architecture: 'amd64',
      Config: { Env: ['MYSQL_VERSION=8.4.1'] },
      RepoDigests: path.includes('built') ? null : digests,
    },
  ])
  t.after(it.close)
  const engine = dockerEngine({ dockerHost: it.dockerHost, installationId: 'i', networkName: 'n' })
  const digestOf = async (reference: string) => (await engine.image(reference))!.digest
  assert.deepEqual(await engine.image('mysql:8'), {
    id: hash('1'),
    digest: digests[1],
    architecture: 'amd64',
    env: ['MYSQL_VERSION=8.4.1'],
  })
  assert.equal(await digestOf('mirror.example.com/mysql:8.4'), digests[0])
  assert.equal(await digestOf('docker.io/library/mysql'), digests[1])
  assert.equal(await digestOf('another/name'), null)
  assert.equal(await digestOf('built'), null)
})

test('returns the digest of a pulled image, or fails with the message of the registry', async (t) => {
  const it = await fakeApi(({ query }, response) => {
    const lines =
      query.fromImage === 'missing:1'
        ? [{ status: 'Pulling' }, { error: 'manifest unknown' }]
        : [{ status: 'Pulling from library/mysql' }, { status: `Digest: ${hash('b')}` }, { status: 'Status: done' }]
    response.end(`${lines.map((line) => JSON.stringify(line)).join('\r\n')}\r\n`)
    return undefined
  })
  t.after(it.close)
  const engine = dockerEngine({ dockerHost: it.dockerHost, installationId: 'i', networkName: 'n' })
  assert.equal(await engine.pullImage('localhost:5000/mysql:8', never), `localhost:5000/mysql@${hash('b')}`)
  assert.equal(await engine.pullImage('mysql', never), `mysql@${hash('b')}`)
  assert.deepEqual(
    it.asked.map(({ query }) => query),
    [{ fromImage: 'localhost:5000/mysql:8' }, { fromImage: 'mysql', tag: 'latest' }],
  )
  await assert.rejects(
    engine.pullImage('missing:1', never),
    (error: unknown) => error instanceof EngineFailure && error.message === 'manifest unknown',
  )
})
