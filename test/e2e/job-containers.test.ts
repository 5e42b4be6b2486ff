/** Jobs on a real engine that have a terminal, or share the network or the volumes of another container. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import { dockerClient } from '../../src/engine/docker/transport/client.ts'
import type { Job } from '../../src/engine/job.ts'
import { engineFailure } from '../engine/engine-failure.ts'
import { until } from '../engine/until.ts'

const dockerHost = process.env.DOCKER_HOST || 'unix:///var/run/docker.sock'
const engine = dockerEngine({ dockerHost, installationId: `jobs-${process.pid}`, networkName: 'berth-test' })
const client = dockerClient(dockerHost, null)
const neverAborted = new AbortController().signal
let lastNumber = 0

const jobOf = (program: string, changes: Partial<Job> = {}): Job => ({
  name: `try-job-${process.pid}-${++lastNumber}`,
  recordId: 'a record',
  image: 'postgres:15',
  argv: ['sh', '-c', program],
  env: {},
  stdin: false,
  ...changes,
})

interface Container {
  Id: string
  Mounts: { Name?: string; Destination: string }[]
}

const containerOf = (name: string) => client.call<Container>({ path: `/containers/${name}/json` })

before(() => engine.prepare())
after(async () => assert.deepEqual(await engine.listJobs(), []))

test('runs a program in a terminal, and changes its size', async (t) => {
  const program =
    'while [ "$(stty size)" = "0 0" ]; do sleep 0.05; done; trap "stty size; exit 5" WINCH; stty size; ' +
    'while :; do sleep 0.05; done'
  const job = await engine.runJob(jobOf(program, { stdin: true, terminal: { columns: 91, rows: 31 } }), neverAborted)
  t.after(() => job.stop())
  let output = ''
  job.stdout.on('data', (part: Buffer) => {
    output += String(part)
  })
  await until('the first size', async () => /\d+ \d+\r\n/.test(output))
  await job.resize({ columns: 120, rows: 40 })
  assert.equal((await job.ended).exitCode, 5)
  assert.match(output, /^31 91\r\n40 120\r\n$/)
  await job.resize({ columns: 1, rows: 1 })
})

test('echoes input in a terminal, and reads its end as the end of the connection', async (t) => {
  const job = await engine.runJob(
    jobOf('read -r line; echo "<$line>"', { stdin: true, terminal: { columns: 80, rows: 24 } }),
    neverAborted,
  )
  t.after(() => job.stop())
  job.stdin!.write('hello\r')
  assert.equal(await text(job.stdout), 'hello\r\n<hello>\r\n')
})

test('shares the network of another container', async (t) => {
  const server = jobOf('exec perl -MIO::Socket::INET -e "$PROGRAM"', {
    env: {
      PROGRAM:
        '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 7777, Listen => 1); print "ready\n";' +
        ' STDOUT->flush; $c = $s->accept; print $c "from the neighbour\n"; close $c; sleep 1000',
    },
  })
  const first = await engine.runJob(server, neverAborted)
  t.after(() => first.stop())
  await new Promise((resolve) => {
    first.stdout.once('data', resolve)
  })
  const { Id } = await containerOf(server.name)
  const second = await engine.runJob(
    jobOf('exec bash -c "cat < /dev/tcp/127.0.0.1/7777"', { networkOf: Id }),
    neverAborted,
  )
  assert.equal(await text(second.stdout), 'from the neighbour\n')
  await second.ended
})

test('gives one container the pipe of another, and removes the volume with its container', async () => {
  const writer = jobOf('mkfifo /pipes/out; echo ready; cat /etc/hostname /etc/hostname > /pipes/out', {
    volumes: [{ name: '', path: '/pipes' }],
  })
  const first = await engine.runJob(writer, neverAborted)
  await new Promise((resolve) => {
    first.stdout.once('data', resolve)
  })
  const { Id, Mounts } = await containerOf(writer.name)
  const volume = Mounts.find(({ Destination }) => Destination === '/pipes')?.Name
  const second = await engine.runJob(jobOf('wc -l < /pipes/out', { volumesFrom: Id }), neverAborted)
  assert.equal(await text(second.stdout), '2\n')
  await second.ended
  first.stdout.resume()
  assert.equal((await first.ended).exitCode, 0)
  await assert.rejects(client.call({ path: `/volumes/${volume}` }), engineFailure('missing', /no such volume/i))
})
