/** Tests of `berth route`, `berth certificate` and `berth registry`. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../engine/until.ts'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import { certificateData, privateKey } from '../fixtures/long-lived-certificate.ts'
import { mainPath, startCommandLine, startProcess } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

test('adds redirects, passwords and ports to an application, lists and removes them', async () => {
  cli.engine.putForeign('web', { labels: { 'berth.host': 'web.example.org' }, onNetwork: true })
  await until('the application', async () => (await cli.ok('route', 'ls', '--json')).includes('web'))
  await cli.ok('route', 'redirect', 'web', '^http://old', 'https://new', '--permanent')
  const protect = await cli.command(['route', 'protect', 'web', 'ann'], {
    ...cli.env,
    BERTH_PASSWORD: 'ann-s-password',
  })
  assert.deepEqual([protect.status, protect.stdout], [0, 'web now asks for a name and a password.\n'], protect.stderr)
  assert.match(await cli.ok('route', 'publish', 'web', '5353:53', '--udp'), /^Port 5353\/udp leads to web\.$/m)
  const tested = await cli.ok('route', 'test', 'http://old.example.org/a', '--application', 'web')
  assert.match(tested, /^http:\/\/old\.example\.org\/a is redirected to https:\/\/new \(301\) by \S+\.$/m)
  assert.match(tested, /\^http:\/\/old\s+yes\s+https:\/\/new$/m)
  const tried = await cli.ok('route', 'test', 'http://web.example.org/a', '--regex', '/(a)', '--replacement', '/b${1}')
  assert.match(tried, /redirected to \/ba \(302\) by the redirect that is not stored\. Groups: 1 is 'a'\.$/m)
  assert.match(await cli.ok('route', 'test', 'http://nowhere.example/'), /^No application has the host of/)
  assert.equal((await cli.command(['route', 'test', 'http://web.example.org/', '--regex', 'a'])).status, 2)
  assert.match(await cli.ok('route', 'ls'), /^web\s+web\.example\.org\s+up\s+3/m)
  const rules = await cli.ok('route', 'ls', 'web')
  assert.match(rules, /redirect \^http:\/\/old to https:\/\/new, permanently/)
  assert.match(rules, /password of ann/)
  const port = JSON.parse(await cli.ok('route', 'ls', 'web', '--json')) as { id: string; text: string }[]
  const { id } = port.find(({ text }) => text === 'port 5353/udp to 53')!
  assert.match(await cli.ok('route', 'rm', id, '-y'), /^Removed: port 5353\/udp to 53\.$/m)
  assert.doesNotMatch(await cli.ok('route', 'ls', '--rules'), /5353/)
})

test('adds rules to an application that does not exist yet, and says so', async () => {
  const redirect = await cli.command(['route', 'redirect', 'wbe', '^http://old', 'https://new'])
  assert.equal(redirect.status, 0)
  assert.match(redirect.stderr, /^There is no application 'wbe' now\. Did you mean web\?\nIt is not in force: ./)
  const env = { ...cli.env, BERTH_PASSWORD: 'ann-s-password' }
  const protect = await cli.command(['route', 'protect', 'we', 'ann'], env)
  assert.equal(protect.stdout, 'Added the user ann.\n', 'the beginning of a name is another application')
  const publish = await cli.command(['route', 'publish', 'later', '5354', '--no-wait'])
  assert.deepEqual([publish.status, publish.stdout], [0, 'Recorded the port 5354/tcp of later.\n'], publish.stderr)
  assert.match(publish.stderr, /It is not in force/)
  const rules = JSON.parse(await cli.ok('route', 'ls', '--rules', '--json')) as { applicationId: string }[]
  assert.deepEqual(
    new Set(rules.map((each) => each.applicationId)).intersection(new Set(['wbe', 'we', 'later'])).size,
    3,
  )
})

test('says what becomes of a node', async () => {
  const node = (verb: string, ...options: string[]) => cli.ok('node', verb, 'memory', ...options)
  assert.equal(await node('pause'), 'memory takes no new containers. Those that run stay.\n')
  assert.equal(await node('activate'), 'memory takes new containers.\n')
  assert.match(await node('drain', '--force'), /^memory is being drained: its containers stop/)
  await node('activate')
  assert.equal((await cli.command(['node', 'pause', 'memory', '--force'])).status, 2)
})

test('uploads a certificate, lists and removes it', async () => {
  const [cert, key] = [join(cli.folder, 'cert.pem'), join(cli.folder, 'key.pem')]
  writeFileSync(cert, certificateData)
  writeFileSync(key, privateKey)
  assert.match(await cli.ok('certificate', 'add', 'shop', '--cert', cert, '--key', key), /^Added shop for .* valid for/)
  assert.match(await cli.ok('certificate', 'ls'), /^shop\s/m)
  assert.match(await cli.ok('certificate', 'rm', 'shop', '-y'), /^Removed shop\.$/m)
})

test('adds a registry whose password is a file', async () => {
  const key = JSON.stringify({ type: 'service_account', private_key: 'a key' }, null, 2)
  await using registry = await startFakeRegistry({ users: { _json_key: key } })
  const file = join(cli.folder, 'key.json')
  writeFileSync(file, `${key}\n`)
  const add = ['registry', 'add', 'google', '--url', registry.host, '--user', '_json_key', '--password-stdin']
  const words = ['-c', 'exec "$0" "$@" <"$KEY_FILE"', process.execPath, mainPath, ...add]
  const { status, stderr } = await startProcess('sh', words, { ...cli.env, KEY_FILE: file }).ended
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(await cli.ok('registry', 'rm', 'google', '-y'), /^Removed google\.$/m)
})

test('adds a registry, tests it, lists its images and removes it', async () => {
  await using registry = await startFakeRegistry({ users: { ann: 'the-password-of-ann' } })
  const add = ['registry', 'add', 'ours', '--url', registry.host, '--user', 'ann', '--prefix', 'team']
  const wrong = await cli.command(add, { ...cli.env, BERTH_PASSWORD: 'another-password' })
  assert.equal(wrong.status, 2, wrong.stderr)
  const added = await cli.command(add, { ...cli.env, BERTH_PASSWORD: 'the-password-of-ann' })
  assert.equal(added.status, 0, added.stderr)
  assert.match(await cli.ok('registry', 'ls'), /^ours\s+\S+\s+team\s+ann\s+-\s*$/m)
  assert.notEqual(await cli.ok('registry', 'test', 'ours'), '')
  const asked = await cli.command(['registry', 'enable', '127.0.0.1:5000'])
  assert.deepEqual([asked.status, /--user/.test(asked.stderr)], [2, true])
  assert.match(await cli.ok('registry', 'rm', 'ours', '-y'), /^Removed ours\.$/m)
})
