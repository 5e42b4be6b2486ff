/** `berth apply` and `berth export` by a member of one project. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startInstallation } from './fixture.ts'

const shop = await startInstallation()
after(() => shop[Symbol.asyncDispose]())
const { call } = shop.berth

/** A file with one database of the project. */
const fileOf = (project: string, image = 'redis:8') =>
  `berth: 1\nprojects:\n  ${project}:\n    databases:\n      cache: {kind: redis, image: ${image}, state: stopped}\n`

async function ok(name: string, input: Record<string, unknown>, as?: string) {
  const { status, body } = await call(name, input, as)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('applies a file to the project of a token, and neither reads nor changes anything else', async () => {
  const { projectId } = await ok('project.create', { name: 'shop' })
  await ok('project.create', { name: 'bakery' })
  await ok('redis.create', {
    projectId,
    name: 'cache',
    appName: 'shop-cache',
    databasePassword: '',
    dockerImage: 'redis:8',
  })
  await ok('redirects.create', { regex: '^http://a', replacement: 'https://a', permanent: true, applicationId: 'web' })
  const limited = { name: 'ci', scope: 'admin', projects: [projectId] }
  const env = { BERTH_TOKEN: String((await ok('auth.createToken', limited)).token) }
  const planned = await shop.apply(fileOf('shop', 'redis:7'), ['--plan'], env)
  assert.match(planned.stdout, /^~ (?:change|update) database shop\/cache$/m)
  assert.equal((await shop.apply(fileOf('shop', 'redis:7'), ['--yes'], env)).status, 0)
  const other = await shop.apply(fileOf('bakery'), ['--yes'], env)
  assert.notEqual(other.status, 0)
  assert.match(other.stderr, /needs an account and a token that reach all projects/)
  const exported = await shop.command(['export', 'all'], { BERTH_URL: shop.url, ...env })
  assert.equal(exported.status, 0, exported.stderr)
  assert.match(exported.stdout, /shop/)
  assert.doesNotMatch(exported.stdout, /bakery|redirects/)
})
