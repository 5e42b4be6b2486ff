/** The registry that Berth runs behind its proxy, under a host name with TLS. Docker's client pushes images. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateIn, makeCertificate } from './certificate-files.ts'
import { pushAs } from './registry.ts'
import { forgetImages, largeImage, removeImages, smallImage } from './registry-image.ts'
import { startRoutingBerth } from './routing-berth.ts'
import { docker } from './swarm.ts'

interface Registry {
  registryId: string
  host: string
  server: { status: string; statusReason: string | null; port: null }
}

/** Larger than any buffer between the client and the registry. */
const largeBytes = 100 * 1024 * 1024
const waitHeader = { prefer: 'wait=120' }
const user = { username: 'team', password: 'behind the proxy' }

test('a registry under a name of the proxy has TLS, and accepts small and large images', async () => {
  await using runtime = await startRoutingBerth()
  const host = `localhost:${runtime.httpsPort}`
  await using end = new AsyncDisposableStack()
  end.defer(removeImages)
  end.defer(() => forgetImages(host))
  const enable = (fields: object) =>
    runtime.call<Registry>('registry.enableSelfHostedRegistry', { registryUrl: host, ...user, ...fields }, waitHeader)
  const { chain, key } = makeCertificate({ names: ['localhost'], days: [dateIn(-1), dateIn(80)] })
  await runtime.call('certificates.create', { name: 'ours', certificateData: chain, privateKey: key })
  const registry = await enable({ insecure: true })
  const { status, statusReason, port } = registry.server
  assert.deepEqual([registry.host, status, port], [host, 'done', null], statusReason ?? 'without a reason')

  const [small, large] = [`${host}/team/small:1`, `${host}/team/large:1`]
  await docker('tag', await smallImage(), small)
  await docker('tag', await largeImage(largeBytes), large)
  for (const reference of [small, large]) {
    await pushAs(reference, host, user.username, user.password)
    await docker('image', 'rm', '--force', reference)
  }
  const listed = await runtime.call<{ name: string }[]>('registry.images', { registryId: registry.registryId })
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['team/large', 'team/small'],
  )
  await docker('tag', await smallImage(), small)
  await assert.rejects(pushAs(small, host, 'team', 'wrong'), /unauthorized|authentication required/i)
  const rule = await runtime.berth.call<{ message: string }>('security.create', {
    applicationId: 'berth-registry',
    username: 'a',
    password: 'b',
  })
  assert.deepEqual([rule.status, /must not be a service that Berth runs/.test(rule.body.message)], [400, true])
})
