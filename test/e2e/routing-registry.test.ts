/** The registry that Berth runs behind its proxy: by a name with TLS, pushed to and pulled from by Docker's client. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateIn, makeCertificate } from './certificate-files.ts'
import { pushAs } from './registry.ts'
import { forgetImages, largeImage, removeImages, smallImage } from './registry-image.ts'
import { openRouting } from './routing-world.ts'
import { docker } from './swarm.ts'

interface Registry {
  registryId: string
  host: string
  server: { status: string; statusReason: string | null; port: null }
}

/** More than anything on the way would keep in memory. */
const largeBytes = 100 * 1024 * 1024
const waiting = { prefer: 'wait=120' }
const user = { username: 'team', password: 'behind the proxy' }

test('by a name of the proxy it is had with TLS, and pushed to', async () => {
  await using runtime = await openRouting()
  const host = `localhost:${runtime.httpsPort}`
  await using end = new AsyncDisposableStack()
  end.defer(removeImages)
  end.defer(() => forgetImages(host))
  const enable = (more: object) =>
    runtime.call<Registry>('registry.enableSelfHostedRegistry', { registryUrl: host, ...user, ...more }, waiting)
  const { chain, key } = makeCertificate({ names: ['localhost'], days: [dateIn(-1), dateIn(80)] })
  await runtime.call('certificates.create', { name: 'ours', certificateData: chain, privateKey: key })
  const made = await enable({ insecure: true })
  const why = made.server.statusReason ?? 'it does not say why'
  assert.deepEqual([made.host, made.server.status, made.server.port], [host, 'done', null], why)

  const [small, large] = [`${host}/team/small:1`, `${host}/team/large:1`]
  await docker('tag', await smallImage(), small)
  await docker('tag', await largeImage(largeBytes), large)
  for (const reference of [small, large]) {
    await pushAs(reference, host, user.username, user.password)
    await docker('image', 'rm', '--force', reference)
  }
  const listed = await runtime.call<{ name: string }[]>('registry.images', { registryId: made.registryId })
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
