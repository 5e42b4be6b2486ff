/** The metadata of images, and pulls with the messages of a registry. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import { dockerEngine } from '../engine.ts'
import { EngineFailure } from '../../engine.ts'

const hash = (digit: string) => `sha256:${digit.repeat(64)}`
const neverAborted = new AbortController().signal

test('returns only the digest in the requested repository', async (t) => {
  const digests = [`mirror.example.com/mysql@${hash('a')}`, `mysql@${hash('b')}`]
  const api = await fakeApi(({ path }) => [
    200,
    {
      Id: hash('1'),
      Architecture: 'amd64',
      Config: { Env: ['MYSQL_VERSION=8.4.1'], Entrypoint: null, Cmd: ['mysqld'] },
      RepoDigests: path.includes('built') ? null : digests,
    },
  ])
  t.after(api.close)
  const engine = dockerEngine({ dockerHost: api.dockerHost, installationId: 'i', networkName: 'n' })
  const digestOf = async (reference: string) => (await engine.image(reference))!.digest
  assert.deepEqual(await engine.image('mysql:8'), {
    id: hash('1'),
    digest: digests[1],
    architecture: 'amd64',
    env: ['MYSQL_VERSION=8.4.1'],
    start: { entrypoint: [], command: ['mysqld'] },
  })
  assert.equal(await digestOf('mirror.example.com/mysql:8.4'), digests[0])
  assert.equal(await digestOf('docker.io/library/mysql'), digests[1])
  assert.equal(await digestOf('another/name'), null)
  assert.equal(await digestOf('built'), null)
})

test('returns the digest of a pulled image, and fails with the message of the registry', async (t) => {
  const api = await fakeApi(({ query }, response) => {
    const lines =
      query.fromImage === 'missing:1'
        ? [{ status: 'Pulling' }, { error: 'manifest unknown' }]
        : [{ status: 'Pulling from library/mysql' }, { status: `Digest: ${hash('b')}` }, { status: 'Status: done' }]
    response.end(`${lines.map((line) => JSON.stringify(line)).join('\r\n')}\r\n`)
    return undefined
  })
  t.after(api.close)
  const engine = dockerEngine({ dockerHost: api.dockerHost, installationId: 'i', networkName: 'n' })
  assert.equal(await engine.pullImage('localhost:5000/mysql:8', neverAborted), `localhost:5000/mysql@${hash('b')}`)
  assert.equal(await engine.pullImage('mysql', neverAborted), `mysql@${hash('b')}`)
  assert.deepEqual(
    api.requests.map(({ query }) => query),
    [{ fromImage: 'localhost:5000/mysql:8' }, { fromImage: 'mysql', tag: 'latest' }],
  )
  await assert.rejects(
    engine.pullImage('missing:1', neverAborted),
    (error: unknown) => error instanceof EngineFailure && error.message === 'manifest unknown',
  )
})
