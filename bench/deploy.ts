/**
 * postgres.deploy to `done` against the raw engine: a service of the same image, volume and network made by the
 * engine's own client, and a log-in tried until it succeeds. In turn, so that a noisy machine is noisy for both.
 */
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Berth, startBerth } from './berth.ts'
import { median, spread, tableOf, verdict } from './table.ts'

const run = promisify(execFile)
const pairs = 7
const image = 'postgres:15'
const limits = { seconds: 0.3, part: 0.1 }
const boundMs = 60_000

export async function benchDeploy(): Promise<string> {
  const berth = await startBerth()
  const { projectId } = await berth.call('project.create', { name: 'bench' })
  const own: number[] = []
  const raw: number[] = []
  // The first pair makes the swarm and the network, and warms both sides.
  for (let pair = 0; pair <= pairs; pair++) {
    own.push(await deploy(berth, projectId as string, pair))
    raw.push(await rawDeploy(pair))
    process.stderr.write(`  deploy ${own.at(-1)!.toFixed(2)} s, raw ${raw.at(-1)!.toFixed(2)} s\n`)
  }
  await berth.close()
  return table(own.slice(1), raw.slice(1))
}

function table(own: number[], raw: number[]): string {
  const over = median(own.map((seconds, pair) => seconds - raw[pair]!))
  const holds = over <= limits.seconds || over <= limits.part * median(raw)
  const head = ['deploy', 'median', 'spread', 'limit', '']
  const limit = `${limits.seconds} or ${limits.part * 100} %`
  return tableOf(`postgres.deploy to done, medians of ${pairs} pairs, seconds`, head, [
    ['postgres.deploy, Prefer: wait', median(own).toFixed(2), spread(own, 2), '', ''],
    ['docker service create to log-in', median(raw).toFixed(2), spread(raw, 2), '', ''],
    ['over the raw engine, pair by pair', over.toFixed(2), '', limit, verdict(holds)],
  ])
}

async function deploy(berth: Berth, projectId: string, pair: number): Promise<number> {
  const { postgresId } = await berth.call('postgres.create', {
    name: 'bench', appName: `bench-own-${process.pid}-${pair}`, projectId,
    databaseName: 'bench', databaseUser: 'bench', databasePassword: 'bench',
  })
  const start = performance.now()
  await berth.call('postgres.deploy', { postgresId }, { prefer: 'wait=60' })
  const seconds = (performance.now() - start) / 1000
  await berth.call('postgres.remove', { postgresId, removeData: true }, { prefer: 'wait=60' })
  return seconds
}

async function rawDeploy(pair: number): Promise<number> {
  const name = `bench-raw-${process.pid}-${pair}`
  const environment = ['POSTGRES_USER', 'POSTGRES_PASSWORD', 'POSTGRES_DB'].flatMap((it) => ['--env', `${it}=bench`])
  const start = performance.now()
  const mount = ['--mount', `type=volume,source=${name},target=/var/lib/postgresql/data`]
  const network = ['--network', 'berth', '--endpoint-mode', 'dnsrr']
  await docker('service', 'create', '--detach', '--quiet', '--name', name, ...network, ...mount, ...environment, image)
  const container = await until(async () => (await docker('ps', '--quiet', '--filter', `name=${name}.`))[0] ?? null)
  await until(() => logIn(container))
  const seconds = (performance.now() - start) / 1000
  await docker('service', 'rm', name)
  await until(async () => (await docker('volume', 'rm', name).then(() => true, () => null)))
  return seconds
}

/** Over the container's own address, as Berth does it. */
async function logIn(container: string): Promise<true | null> {
  const program = ['sh', '-c', 'psql -h "$(hostname -i | cut -d" " -f1)" -U bench -w -c "select 1"']
  return docker('exec', '--env', 'PGPASSWORD=bench', container, ...program).then(() => true, () => null)
}

async function docker(...argv: string[]): Promise<string[]> {
  const { stdout } = await run('docker', argv)
  return stdout.split('\n').filter((line) => line !== '')
}

async function until<T>(probe: () => Promise<T | null>): Promise<T> {
  const end = performance.now() + boundMs
  for (;;) {
    const answer = await probe()
    if (answer !== null) return answer
    if (performance.now() > end) throw new Error('The raw engine was not ready in time')
    await pause(50)
  }
}
