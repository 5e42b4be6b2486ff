/**
 * Deploys and restarts of servers whose start waits for a file. At a random instant of the start, Berth, the container or
 * the engine is killed. Afterwards the database is up with all of its rows, or its state says what one command mends.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Random, randomFrom } from '../crash/random.ts'
import { startOwnEngine } from '../e2e/own-engine.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { run } from '../e2e/host.ts'
import { buildImage, docker, type Fields, uniqueName } from '../e2e/swarm.ts'
import { until } from '../engine/until.ts'

const password = 'a-password-of-shop'
/** The SQL client in the container, which prints the value of a statement. */
const mysqlClient = (program: string) => [program, '-ushop', `-p${password}`, '-N', '-B', 'shop', '-e']

const kinds = {
  postgres: {
    image: 'postgres:15',
    server: 'postgres',
    data: '/var/lib/postgresql/data/PG_VERSION',
    client: ['psql', '-U', 'shop', '-d', 'shop', '-A', '-t', '-c'],
    secrets: { databasePassword: password },
  },
  mysql: {
    image: 'mysql:8',
    server: 'mysqld',
    data: '/var/lib/mysql/ibdata1',
    client: mysqlClient('mysql'),
    secrets: { databasePassword: password, databaseRootPassword: 'a-password-of-root' },
  },
  mariadb: {
    image: 'mariadb:11',
    server: 'mariadbd',
    data: '/var/lib/mysql/ibdata1',
    client: mysqlClient('mariadb'),
    secrets: { databasePassword: password, databaseRootPassword: 'a-password-of-root' },
  },
} as const

type KindName = keyof typeof kinds

/**
 * The initialization waits for a file after it has created its accounts and before it fills the table. A server with data
 * waits before it starts.
 */
const dockerfileOf = ({ image, server, data }: (typeof kinds)[KindName]) => `FROM ${image}
RUN printf '%s\\n' 'until [ -e /tmp/go ]; do sleep 0.1; done' > /docker-entrypoint-initdb.d/1-hold.sh \\
  && echo 'create table seed as select 1 as it;' > /docker-entrypoint-initdb.d/2-seed.sql \\
  && printf '%s\\n' '#!/bin/sh' 'if [ -e ${data} ]; then until [ -e /tmp/go ]; do sleep 0.1; done; fi' \\
    'exec docker-entrypoint.sh "$@"' > /usr/local/bin/hold.sh && chmod 755 /usr/local/bin/hold.sh
ENTRYPOINT ["hold.sh"]
CMD ["${server}"]
`

type Trial = Awaited<ReturnType<typeof open>>

/** An engine that can be killed, with the images that wait, and a Berth process on it. */
async function open(names: readonly KindName[]) {
  await using opened = new AsyncDisposableStack()
  const images = new Map<KindName, string>()
  for (const name of names) {
    const image = `${uniqueName(`berth-test-held-${name}`)}:${kinds[name].image.split(':')[1]}`
    await buildImage(image, dockerfileOf(kinds[name]))
    opened.defer(async () => void (await docker('image', 'rm', image)))
    images.set(name, image)
  }
  const folder = mkdtempSync(join(tmpdir(), `berth-engine-${process.pid}-`))
  const engine = await startOwnEngine(folder, [...images.values()])
  opened.defer(() => engine.remove())
  const data = mkdtempSync(join(tmpdir(), 'berth-held-'))
  opened.defer(() => rmSync(data, { recursive: true }))
  const berth = await berthProcess(data, { DOCKER_HOST: engine.host })
  opened.defer(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const { body } = await berth.call<{ projectId: string }>('project.create', { name: 'held' })
  const end = opened.move()
  return { berth, engine, images, projectId: body.projectId, [Symbol.asyncDispose]: () => end.disposeAsync() }
}

interface Subject {
  name: KindName
  appName: string
  id: Fields
}

async function create({ berth, images, projectId }: Trial, name: KindName): Promise<Subject> {
  const appName = uniqueName(`held-${name}`)
  const login = { databaseName: 'shop', databaseUser: 'shop', ...kinds[name].secrets }
  const fields = { name: appName, appName, projectId, ...login, dockerImage: images.get(name) }
  const { status, body } = await berth.call<Fields>(`${name}.create`, fields)
  assert.equal(status, 200, JSON.stringify(body))
  return { name, appName, id: { [`${name}Id`]: body[`${name}Id`] } }
}

const call = ({ berth }: Trial, verb: string, { name, id }: Subject, fields: Fields = {}) =>
  berth.call<Fields>(`${name}.${verb}`, { ...id, ...fields })

async function inEngine({ engine }: Trial, ...argv: string[]): Promise<string[]> {
  const { stdout } = await run('docker', ['--host', engine.host, ...argv])
  return stdout.split('\n').filter((line) => line !== '')
}

const containersOf = (trial: Trial, { appName }: Subject) =>
  inEngine(trial, 'ps', '--quiet', '--filter', `label=com.docker.swarm.service.name=${appName}`)

/** Lets all starts of the database go on until its work has ended. Returns its record. */
const release = (trial: Trial, subject: Subject) =>
  until(
    `the work on ${subject.appName} to end`,
    async () => {
      for (const container of await containersOf(trial, subject).catch((): string[] => [])) {
        await inEngine(trial, 'exec', container, 'touch', '/tmp/go').catch(() => undefined)
      }
      const { body } = await call(trial, 'one', subject)
      return ['done', 'error'].includes(String(body.applicationStatus)) && body
    },
    240_000,
  )

/** The value that the statement prints in the container of the database. */
async function printedBy(trial: Trial, subject: Subject, statement: string): Promise<string | undefined> {
  const [container = ''] = await containersOf(trial, subject)
  return (await inEngine(trial, 'exec', container, ...kinds[subject.name].client, statement))[0]
}

async function deployed(trial: Trial, subject: Subject, verb: string, fields: Fields = {}): Promise<Fields> {
  const { status, body } = await call(trial, verb, subject, fields)
  assert.equal(status, 200, JSON.stringify(body))
  return release(trial, subject)
}

const assertUp = ({ applicationStatus, statusReason }: Fields, context: string) =>
  assert.deepEqual([applicationStatus, statusReason], ['done', null], context)

type Target = 'berth' | 'container' | 'engine'

/** The time within which the servers of these tests begin to wait. */
const maxDelayMs = 9000

async function killAtRandom(trial: Trial, subject: Subject, target: Target, random: Random): Promise<void> {
  const { berth, engine } = trial
  await pause(random.below(maxDelayMs))
  if (target === 'container') {
    const [container] = await containersOf(trial, subject)
    if (container !== undefined) await inEngine(trial, 'kill', container).catch(() => undefined)
    return
  }
  const killed: Pick<BerthProcess, 'kill' | 'start'> = target === 'berth' ? berth : engine
  await killed.kill()
  await killed.start()
}

/** One kill during a first start, or during a restart of existing data. Returns how the database ended. */
async function killOnce(trial: Trial, seed: number, names: readonly KindName[]): Promise<string> {
  const random = randomFrom(seed, 'held')
  const subject = await create(trial, names[seed % names.length]!)
  const isRestart = random.chance(50)
  const target = random.pick(['berth', 'container', 'engine'] as const)
  const context = `seed ${seed}: ${isRestart ? 'restart' : 'first start'} of ${subject.name}, kill of ${target}`
  const expected = isRestart ? '42' : '1'
  if (isRestart) {
    assertUp(await deployed(trial, subject, 'deploy'), context)
    await printedBy(trial, subject, 'insert into seed values (41)')
  }
  const restart = { appName: subject.appName }
  const begun = await (isRestart ? call(trial, 'reload', subject, restart) : call(trial, 'deploy', subject))
  assert.equal(begun.status, 200, context)
  await killAtRandom(trial, subject, target, random)
  const record = await release(trial, subject)
  const code = record.applicationStatus === 'done' ? 'done' : String(record.statusCode)
  if (code !== 'done') {
    // The one command that the state names.
    const isNamed = isRestart ? ['RolledBack', 'RollbackFailed'].includes(code) : code === 'FirstStartInterrupted'
    assert.ok(isNamed, `${context}: ${code}: ${String(record.statusReason)}`)
    const fields = isRestart ? {} : { anew: true }
    assertUp(await deployed(trial, subject, isRestart ? 'deploy' : 'start', fields), context)
  }
  assert.equal(await printedBy(trial, subject, 'select sum(it) from seed'), expected, context)
  const { status } = await trial.berth.call(`${subject.name}.remove`, { ...subject.id, removeData: true })
  assert.equal(status, 200, context)
  return `${context}: ${code}`
}

/** Runs the seeds one after the other on one engine. `report` gets how each ended. */
export async function killHeldStarts(
  seeds: readonly number[],
  names: readonly KindName[],
  report: (text: string) => void,
): Promise<void> {
  await using trial = await open(names)
  for (const seed of seeds) report(await killOnce(trial, seed, names))
}
