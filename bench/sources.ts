/** Measures what a list of 1,000 allowed sources costs: new connections through a gateway, in turn with and without it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { everyone } from '../src/gateways/sources/admitted.ts'
import { controlProgram } from '../src/gateways/sources/control.ts'
import { tcpGateway } from '../src/gateways/specs.ts'
import { type Section, tableOfFigures } from './figures.ts'
import { median, spread } from './table.ts'

const run = promisify(execFile)
/** The list and its absence alternate, so that each pair runs under the same load. */
const pairs = 20
const connectionsEach = 500
const concurrent = 16
const insidePort = 15_000
const redisPort = 6379

export async function benchSources(): Promise<Section> {
  const name = `berth-bench-${process.pid}`
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'))
  const options = { name, labels: {}, image: 'haproxy:3.0', nodeId: '', published: 0, target: `${name}-target` }
  const [file] = tcpGateway({ ...options, targetPort: redisPort, maxTargets: 1 }).files
  writeFileSync(join(folder, 'haproxy.cfg'), file!.content)
  await docker('network', 'create', name)
  try {
    await docker('run', '--detach', '--network', name, '--name', options.target, 'redis:8')
    const env = ['--env', `BERTH_TARGET=${options.target}`, '--env', `BERTH_TARGET_PORT=${redisPort}`]
    const mount = ['--volume', `${folder}/haproxy.cfg:${file!.path}:ro`]
    await docker('run', '--detach', '--network', name, '--name', name, ...env, ...mount, options.image)
    const template = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}'
    const [host = '', own = ''] = (await docker('inspect', '--format', template, name)).trim().split(' ')
    return await measure(name, host, own)
  } finally {
    await docker('rm', '--force', '--volumes', name, options.target)
    await docker('network', 'rm', name)
  }
}

async function measure(container: string, host: string, own: string): Promise<Section> {
  // The address of the client comes last. The order is that of a tree, so it does not matter.
  const list = [...Array.from({ length: 999 }, (_, n) => `10.${n >> 8}.${n & 255}.0/24`), `${own}/32`]
  const applied: number[] = []
  const rateWith = async (sources: readonly string[]) => {
    const start = performance.now()
    await apply(container, sources)
    if (sources.length > 2) applied.push(performance.now() - start)
    return rateOf(host)
  }
  await rateWith(everyone)
  const [open, listed]: [number[], number[]] = [[], []]
  for (let at = 0; at < pairs; at++) {
    // The second of a pair would otherwise always run on the warmer machine.
    const isListFirst = at % 2 === 1
    if (isListFirst) listed.push(await rateWith(list))
    open.push(await rateWith(everyone))
    if (!isListFirst) listed.push(await rateWith(list))
  }
  const costs = listed.map((rate, at) => (1 - rate / open[at]!) * 100)
  const rate = { limit: null, digits: 0, unit: '/s' }
  return tableOfFigures('Allowed sources', [
    { ...rate, what: 'new connections without a list', value: median(open), note: spread(open, 0) },
    { ...rate, what: 'new connections with 1,000 entries', value: median(listed), note: spread(listed, 0) },
    {
      what: 'cost of 1,000 entries',
      value: median(costs),
      limit: 5,
      digits: 1,
      unit: '%',
      note: `${pairs} pairs: ${spread(costs, 1)}`,
    },
    {
      what: 'a change to 1,000 entries',
      value: median(applied),
      limit: 2000,
      digits: 0,
      unit: 'ms',
      note: spread(applied, 0),
    },
  ])
}

async function docker(...argv: string[]): Promise<string> {
  return (await run('docker', argv)).stdout
}

async function apply(container: string, sources: readonly string[]): Promise<void> {
  const { argv, stdin } = controlProgram('apply', sources)
  const running = run('docker', ['exec', '--interactive', container, ...argv])
  running.child.stdin!.end(stdin)
  await running
}

/** The number of connections per second, each with one answer of the server. */
async function rateOf(host: string): Promise<number> {
  let left = connectionsEach
  const start = performance.now()
  const worker = async () => {
    while (left-- > 0) await ping(host)
  }
  await Promise.all(Array.from({ length: concurrent }, worker))
  return (connectionsEach * 1000) / (performance.now() - start)
}

function ping(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let hasAnswer = false
    const socket = connect({ host, port: insidePort })
    socket
      .on('connect', () => socket.write('PING\r\n'))
      .on('data', () => {
        hasAnswer = true
        socket.destroy()
      })
      .on('error', reject)
      .on('close', () => (hasAnswer ? resolve() : reject(new Error('The gateway closed a connection'))))
  })
}
