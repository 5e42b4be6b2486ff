/** The registry that Berth runs behind its proxy: by a name with TLS, pushed to and pulled from by Docker's client. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateIn, makeCertificate } from './caddy.ts'
import { importSmallImage, pushAs } from './registry.ts'
import { openRouting } from './routing-world.ts'
import { docker } from './swarm.ts'

interface Registry {
  registryId: string; host: string; server: { status: string; statusReason: string | null; port: null }
}

const waiting = { prefer: 'wait=120' }
const user = { username: 'team', password: 'behind the proxy' }

test('by a name of the proxy it is had with TLS, and pushed to', async () => {
  await using world = await openRouting()
  const host = `localhost:${world.httpsPort}`
  const enable = (more: object) =>
    world.call<Registry>('registry.enableSelfHostedRegistry', { registryUrl: host, ...user, ...more }, waiting)
  const { chain, key } = makeCertificate({ names: ['localhost'], days: [dateIn(-1), dateIn(80)] })
  await world.call('certificates.create', { name: 'ours', certificateData: chain, privateKey: key })
  const made = await enable({ insecure: true })
  const why = made.server.statusReason ?? 'it does not say why'
  assert.deepEqual([made.host, made.server.status, made.server.port], [host, 'done', null], why)

  // One layer of a few megabytes, and one of some hundred.
  const [small, large] = [`${host}/team/small:1`, `${host}/team/postgres:17`]
  await importSmallImage(small)
  await docker('tag', 'postgres:17', large)
  for (const reference of [small, large]) {
    await pushAs(reference, host, user.username, user.password)
    await docker('image', 'rm', '--force', reference)
  }
  const listed = await world.call<{ name: string }[]>('registry.images', { registryId: made.registryId })
  assert.deepEqual(listed.map(({ name }) => name), ['team/postgres', 'team/small'])
  await importSmallImage(small)
  await assert.rejects(pushAs(small, host, 'team', 'wrong'), /unauthorized|authentication required/)
  await docker('image', 'rm', '--force', small)
  const rule = await world.berth.call<{ message: string }>('security.create',
    { applicationId: 'berth-registry', username: 'a', password: 'b' })
  assert.deepEqual([rule.status, /no application/.test(rule.body.message)], [400, true])
})
