/** Replaces the files of a volume while a container reads them, on a real engine. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import { dockerClient } from '../../src/engine/docker/transport/client.ts'
import type { FoundTask } from '../../src/engine/engine.ts'
import type { VolumeFiles } from '../../src/engine/volumes/volume-files.ts'
import { idle, running, specOf } from '../engine/engine-fixture.ts'
import { until } from '../engine/until.ts'

const dockerHost = process.env.DOCKER_HOST || 'unix:///var/run/docker.sock'
const installationId = `files-${process.pid}`
const engine = dockerEngine({ dockerHost, installationId, networkName: 'berth-test' })
const docker = dockerClient(dockerHost, null)
const image = 'postgres:15'
const volume = `berth-tls-test-${process.pid}`
const { signal } = new AbortController()
let nodeId = ''
let task: FoundTask

const files = (content: string, names = ['a', 'b']): VolumeFiles => ({
  volume,
  nodeId,
  image,
  owner: 'no-such-user postgres',
  labels: { 'berth.test': 'yes' },
  files: names.map((name, at) => ({ name, content: `${content}\n`, mode: at === 0 ? 0o600 : 0o644 })),
  recordId: 'test',
})

const shell = async (program: string) => {
  const { exitCode, stdout, stderr } = await engine.run(task, { argv: ['sh', '-c', program], env: {} }, 20_000)
  return exitCode === 0 ? stdout : `${exitCode} ${stderr}`
}

before(async () => {
  await engine.prepare()
  nodeId = (await engine.nodes()).find(({ local }) => local)!.id
  await engine.writeFiles(files('0'), signal)
  const name = `files-${process.pid}`
  const mounts = [{ type: 'volume', path: '/tls', name: volume, sizeBytes: 0, labels: {}, isReadOnly: true } as const]
  const fixture = { image, nodeId } as Parameters<typeof specOf>[0]
  await engine.createService(specOf(fixture, { name, mounts, args: idle }))
  task = await running(engine, name)
})

after(async () => {
  await engine.removeService(task.serviceName)
  await until('the volume to be free', () =>
    engine.removeVolume(volume, nodeId).then(
      () => true,
      () => false,
    ),
  )
})

test('labels the volume, and gives the files to the user of the image', async () => {
  const { Labels } = await docker.call<{ Labels: object }>({ path: `/volumes/${volume}` })
  assert.deepEqual(Labels, { 'berth.installation': installationId, 'berth.test': 'yes' })
  assert.equal(await shell('stat -L -c "%n %a %U" /tls/*'), '/tls/a 600 postgres\n/tls/b 644 postgres\n')
})

test('a reader finds files that belong together during replacements, and can write none', async () => {
  const reading = shell(`
    until [ -e /tls/end ]; do
      set=$(readlink /tls/.current)
      cat "/tls/$set/a" "/tls/$set/b" 2>/dev/null | sort -u | wc -l
      cat /tls/a >/dev/null || echo missing
    done | sort -u`)
  for (let count = 1; count <= 6; count += 1) await engine.writeFiles(files(String(count)), signal)
  await engine.writeFiles(files('end', ['a', 'b', 'end']), signal)
  // A set that was replaced a moment ago is removed, and then has no lines.
  assert.match(await reading, /^(0\n)?1\n$/)
  assert.match(await shell('touch /tls/c'), /Read-only file system/)
})

test('removes files that are not in the list, and earlier sets', async () => {
  await engine.writeFiles(files('last', ['b']), signal)
  assert.equal(await shell('ls -A /tls | LC_ALL=C sort | sed s/set.*/set/; cat /tls/b'), '.current\n.set\nb\nlast\n')
})

test('keeps the files if the owner is unknown', async () => {
  await assert.rejects(engine.writeFiles({ ...files('x'), owner: 'nobody-here' }, signal), /no user named nobody-here/)
  assert.equal(await shell('cat /tls/b'), 'last\n')
})
