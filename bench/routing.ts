/**
 * Measures changes of rules through Berth and its proxy: the time until a change takes effect with a thousand other rules,
 * the number of requests that fail meanwhile, and the time to load a thousand applications with rules.
 */
import { execFileSync } from 'node:child_process'
import http from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { installationLabel } from '../src/engine/labels.ts'
import { adminAt } from '../src/routing/caddy/admin.ts'
import { socketPathsIn, proxyName } from '../src/routing/caddy/launch.ts'
import { rulesConfig } from '../src/routing/caddy/rules-config.ts'
import { startTraffic } from '../test/e2e/traffic.ts'
import { type Berth, startBerth } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { newFolder } from './processes.ts'
import { median, quantile, spread } from './table.ts'

const networkName = 'berth-bench'
const [httpPort, httpsPort] = [15_080, 15_443]
const appName = `berth-bench-app-${process.pid}`
const host = 'shop.example.org'
const [rules, alone, changes, perSecond, loads] = [1000, 200, 1000, 200, 10]

const docker = (...argv: string[]) =>
  execFileSync('docker', argv, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })

export async function benchRouting(): Promise<Section> {
  const folder = newFolder()
  const berth = await startBerth({
    BERTH_DATA: folder,
    BERTH_NETWORK: networkName,
    BERTH_PROXY: 'service',
    BERTH_PROXY_HTTP_PORT: String(httpPort),
    BERTH_PROXY_HTTPS_PORT: String(httpsPort),
  })
  try {
    await deploy()
    const redirectId = await createRules(berth)
    const figures = await timeChanges(berth, redirectId)
    await berth.close()
    return tableOfFigures(`changes of a rule with ${rules} there`, [
      ...figures,
      ...(await timeLoads(`${folder}/proxy`)),
    ])
  } finally {
    await berth.close()
    remove(appName)
    remove(proxyName, `${installationLabel}=${installationIdIn(folder)}`)
  }
}

/** Removes the service with this name and label, if it exists. A service of another Berth stays. */
function remove(name: string, label?: string): void {
  const filters = [`name=${name}`, ...(label === undefined ? [] : [`label=${label}`])]
  const listed = docker('service', 'ls', '--format', '{{.ID}} {{.Name}}', ...filters.flatMap((it) => ['--filter', it]))
  // The engine's filter matches all names that begin with this name.
  const match = listed
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, its]) => its === name)
  if (match) docker('service', 'rm', match[0]!)
}

/** Returns the installation id of the Berth with this data folder. */
function installationIdIn(folder: string): string {
  const store = new DatabaseSync(`${folder}/berth.db`, { readOnly: true })
  try {
    const row = store.prepare('select "value" from "meta" where "key" = ?').get('installationId')
    return (row as { value: string }).value
  } finally {
    store.close()
  }
}

/** Deploys an application without Berth. */
async function deploy(): Promise<void> {
  const until = performance.now() + 30_000
  const create = () =>
    docker(
      'service',
      'create',
      '--detach',
      '--quiet',
      '--name',
      appName,
      '--network',
      networkName,
      '--label',
      `berth.host=${host}`,
      '--label',
      'berth.port=8080',
      'caddy:2',
      'caddy',
      'respond',
      '--listen',
      ':8080',
    )
  // Berth creates the network, so the first attempts can fail.
  for (;;) {
    try {
      create()
      return
    } catch (error) {
      if (performance.now() > until) throw error
      await pause(500)
    }
  }
}

async function createRules(berth: Berth): Promise<string> {
  let last = ''
  for (let at = 0; at < rules; at++) {
    const { redirectId } = await berth.call('redirects.create', {
      applicationId: appName,
      regex: `^http://${host}/moved/${at}/(.*)$`,
      replacement: `/to/${at}/$1`,
      permanent: false,
    })
    last = redirectId as string
  }
  while ((await ask(`http://${host}/`)).status !== 200) await pause(200)
  return last
}

/** Returns the times from each call until a request shows the change, in milliseconds. */
async function change(berth: Berth, redirectId: string, count: number, word: string): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const [regex, replacement] = [`^http://${host}/${word}/${at}$`, `/new/${at}`]
    const start = performance.now()
    await berth.call('redirects.update', { redirectId, regex, replacement, permanent: false })
    const { headers } = await ask(`http://${host}/${word}/${at}`)
    times.push(performance.now() - start)
    if (headers.location !== replacement) throw new Error(`Change ${at} is not in force: ${headers.location}`)
  }
  return times
}

async function timeChanges(berth: Berth, redirectId: string): Promise<Figure[]> {
  const times = await change(berth, redirectId, alone, 'alone')
  const traffic = startTraffic({ perSecond, url: `http://${host}/page`, ask })
  const busy = await change(berth, redirectId, changes, 'busy')
  const { answers, faults } = await traffic.stop()
  for (const fault of faults.slice(0, 5)) process.stderr.write(`  ${fault}\n`)
  const within = (values: number[]) => `95 of 100 within ${quantile(values, 0.95).toFixed(0)} ms`
  return [
    {
      what: 'until a change is met, median',
      value: median(times),
      limit: 100,
      digits: 1,
      unit: 'ms',
      note: within(times),
    },
    {
      what: `with ${perSecond} requests a second`,
      value: median(busy),
      limit: null,
      digits: 1,
      unit: 'ms',
      note: within(busy),
    },
    {
      what: 'requests that failed',
      value: faults.length,
      limit: 0,
      digits: 0,
      unit: '',
      note: `of ${faults.length + answers} in ${changes} changes, half by new connections`,
    },
  ]
}

/** Loads configurations into the same proxy, which still runs after Berth has stopped. */
async function timeLoads(proxyFolder: string): Promise<Figure[]> {
  const socketPaths = socketPathsIn(proxyFolder)
  const times: number[] = []
  for (let load = 0; load < loads; load++) {
    const applications = Array.from({ length: 1000 }, (_, at) => ({
      hosts: [`app-${at}.example.org`],
      tls: null,
      preflight: null,
      upstream: { service: `app-${at}`, port: 80 },
      redirects: [{ regex: `/old-${load}/(.*)`, replacement: '/new/$1', permanent: true }],
      users: [{ username: 'ann', passwordHash: '$2b$10$AO7.hmFJRFwoUljefhELwe/9RD5gNYWuduvMtSsSR/fJ/TMfOtcee' }],
    }))
    const start = performance.now()
    const config = rulesConfig({
      applications,
      publicHttpsPort: 443,
      adminSocket: socketPaths.rulesAdmin,
      socket: socketPaths.rules,
    })
    await adminAt(socketPaths.rulesAdmin).load(config, `bench-${load}`)
    times.push(performance.now() - start)
  }
  return [
    {
      what: '1,000 applications with rules and users, one load',
      value: median(times),
      limit: 1000,
      digits: 0,
      unit: 'ms',
      note: spread(times, 0),
    },
  ]
}

interface Reply {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
}

function ask(url: string, { agent }: { agent?: http.Agent } = {}): Promise<Reply> {
  const { hostname, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    http
      .get(
        { host: '127.0.0.1', port: httpPort, path: pathname, headers: { host: hostname }, agent: agent ?? false },
        (response) => {
          response.resume().on('error', reject)
          response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: '' }))
        },
      )
      .on('error', reject)
  })
}
