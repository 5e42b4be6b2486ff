/** Tests of `berth route`, `berth certificate` and `berth registry`. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../engine/until.ts'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import { certificateData, privateKey } from '../fixtures/long-lived-certificate.ts'
import { startCommandLine } from './cli-fixture.ts'

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

test('says who may connect to a published port and to the databases of a project', async () => {
  await cli.ok('route', 'publish', 'web', '8080:80')
  const allowed = await cli.ok('route', 'allow', '8080', '203.0.113.7', '198.51.100.0/24')
  assert.equal(allowed, 'Port 8080/tcp accepts connections from 203.0.113.7/32, 198.51.100.0/24.\n')
  assert.match(await cli.ok('route', 'ls', 'web'), /port 8080\/tcp to 80, for 203\.0\.113\.7\/32, 198\.51\.100\.0\/24/)
  assert.equal(
    await cli.ok('route', 'allow', '8080/tcp', 'everyone'),
    'Port 8080/tcp accepts connections from everyone.\n',
  )
  const status = () => cli.ok('status')
  await until('the condition', async () =>
    /info\s+port 8080\/tcp\s+OpenToEveryone.*berth route allow 8080\/tcp ADDRESS/.test(await status()),
  )
  await cli.ok('project', 'create', 'limited', '--description', 'a text')
  assert.match(
    await cli.ok('project', 'allow', 'limited', '10.0.0.0/8'),
    /without a list of their own accept connections from 10\.0\.0\.0\/8\.$/m,
  )
  const projects = JSON.parse(await cli.ok('project', 'ls', '--json')) as {
    name: string
    description: string
    allowedSources: string[]
  }[]
  const { description, allowedSources } = projects.find(({ name }) => name === 'limited')!
  assert.deepEqual([description, allowedSources], ['a text', ['10.0.0.0/8']])
  for (const args of [
    'route allow 8081 everyone',
    'route allow 8080 everyone 10.0.0.0/8',
    'project allow limited here',
  ]) {
    assert.notEqual((await cli.command(args.split(' '))).status, 0, args)
  }
  const rules = JSON.parse(await cli.ok('route', 'ls', 'web', '--json')) as { id: string; text: string }[]
  await cli.ok('route', 'rm', rules.find(({ text }) => text.startsWith('port 8080'))!.id, '-y')
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
  const refused = await cli.command(['node', 'drain', 'memory'])
  assert.equal(refused.status, 1, refused.stderr)
  assert.match(refused.stderr, /memory is Berth's own node, and its drain stops what cannot move: the proxy of/)
  const drained = await node('drain', '--force')
  assert.match(drained, /^memory is being drained: its containers stop/)
  assert.match(drained, /^No longer served: ./m)
  assert.match(drained, /^No longer open: 5354\/tcp/m)
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
