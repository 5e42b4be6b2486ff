// test.js SCOPE [PATTERN...]: runs test files concurrently, with one report and one summary. The quick tests run first.
// If they pass, those in test/e2e and test/faults follow; some of these never run at the same time.
// SCOPE: unit, e2e, console or all; or faults, node-faults, crash, soak, versions, release or tls, which include long tests
// that no other scope runs.
// BERTH_TEST_BEGAN: the start time of ./berth, in seconds since 1970.
import { existsSync, globSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const [scope, ...patterns] = process.argv.slice(2)
if (scope === 'versions' || scope === 'faults') process.env.BERTH_TEST_ALL = '1'
// Each file runs in its own process. The processes share compiled code in the cache.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/tests')
const scopes = {
  console: ['console/**/*.test.ts', 'test/{,e2e/}console/*.test.ts'],
  crash: ['test/crash/*.long.ts'],
  soak: ['test/soak/*.long.ts'],
  'node-faults': ['test/node-faults/*.long.ts'],
  tls: ['test/e2e/testssl.long.ts', 'test/e2e/proxy-config-{scan,berth,tls}.test.ts'],
  release: ['test/e2e/release/*.{test,long}.ts'],
  versions: ['test/e2e/versions.long.ts', 'test/e2e/{dumps,kinds,backups,{mysql,mongo,postgres,redis}-kind*}.test.ts'],
  // Some tests of faults are in the folder of their feature.
  faults: [
    'test/faults/*.{test,long}.ts',
    'test/start.test.ts',
    'test/http/{sockets,errors}.test.ts',
    'src/http/*.test.ts',
    'src/engine/docker/transport/client.test.ts',
    'src/store/{sqlite/open,migrations}.test.ts',
    'src/accounts/attempts.test.ts',
    'src/lib/async/loop.test.ts',
    'test/installation/*.test.ts',
    'test/databases/work-*.test.ts',
    'test/{accounts,api,backups,databases,nodes,registries}/*-{crash,clock,attacks,races,faults}.test.ts',
    'test/e2e/{engine-outage,failures,*-faults,*crash,backup-clock,backup-locks,nodes}.test.ts',
  ],
}
const wanted = patterns.length > 0 ? patterns : (scopes[scope] ?? ['{src,console,test}/**/*.test.ts'])
const slow = (file) => /^test\/(?:e2e|faults)\/|\.long\.ts$/.test(file)
// Files of the same group never run at the same time: they use a single resource (the proxy of the swarm, its registry,
// the labels of its node), or several engines each.
const exclusive = [
  /^test\/e2e\/(?:crash|engine\.|routing|ports|certificates|acme|proxy-process|own-registry)/,
  /^test\/e2e\/(?:(?:console\/)?(?:move|nodes)|engine-port|image-nodes|paused-manager|sessions-nodes|dumps-direct)/,
]
const groupOf = (file) => exclusive.findIndex((group) => group.test(file))
// Files that take minutes, and files that wait for each other, start first. At the end they would run alone.
const longest = [
  'sweep',
  'installation/state-commands',
  ...[
    'engine',
    'crash',
    'own-registry',
    'routing-load',
    'move',
    'kinds',
    'nodes',
    'fuzz',
    'failures',
    'backups',
    'backup-faults',
    'backup-drills',
    'backup-network-faults',
    'dumps',
  ].map((name) => `e2e/${name}`),
].map((name) => `test/${name}.test.ts`)
const rank = (file) => (longest.includes(file) ? longest.indexOf(file) : longest.length)
const files = globSync(wanted)
  .sort((a, b) => slow(a) - slow(b) || (groupOf(a) < 0) - (groupOf(b) < 0) || rank(a) - rank(b) || (a < b ? -1 : 1))
  .filter((file) => scope !== (slow(file) ? 'unit' : 'e2e'))
// Concurrent files: one more than cores because tests also wait. Not for `versions`, where each starts many servers.
const maxRunning = availableParallelism() + (scope === 'versions' ? 0 : 1)
/**
 * --test-force-exit ends a file after its tests, even if a failed test left something open. Blocking writes keep its
 * last output. Without them, Node would lose the output that did not fit into the pipe.
 */
const blockingOutput = '--import=data:text/javascript,process.stdout._handle?.setBlocking?.(true)'
const timeout = ['all', 'unit', 'e2e'].includes(scope) ? ['--test-timeout=1200000'] : []
const execArgv = ['--test-force-exit', blockingOutput, ...timeout]

/** A folder in memory for the quick tests, where fsync is free; undefined if there is less than 1 GiB. */
function memoryFolder() {
  const folder = '/dev/shm'
  if (!existsSync(folder)) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > 2 ** 30 ? folder : undefined
}

const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/
const totals = new Map()
/** The duration of each file in milliseconds. */
const times = new Map()

/** Passes events on, except the summary counts of a file. These are added to the totals. */
async function* withoutCounts(events) {
  for await (const event of events) {
    const { type, data } = event
    const [, name, value] = (type === 'test:diagnostic' && data.nesting === 0 && COUNT.exec(data.message)) || []
    if (type === 'test:summary' && data.file !== undefined) times.set(relative('.', data.file), data.duration_ms)
    if (name !== undefined) totals.set(name, (totals.get(name) ?? 0) + Number(value))
    else if (type !== 'test:summary') yield event
  }
}

const memory = { ...process.env, TMPDIR: memoryFolder() ?? process.env.TMPDIR }

/** Starts a file. `ended` resolves at its end, whether or not its events have been read. */
function begin(file) {
  const events = run({ files: [file], execArgv, env: slow(file) ? process.env : memory })
  const ended = new Promise((resolve) => {
    events.on('test:summary', (summary) => {
      if (summary.file === undefined) resolve({ file, events, passed: summary.success })
    })
  })
  return { file, events, ended }
}

/**
 * The next waiting file that may run concurrently with the running ones. After a quick file failed, no slow one starts.
 */
function next(waiting, running, failed) {
  const groups = new Set([...running.keys()].map(groupOf))
  const at = waiting.findIndex((file) => groupOf(file) < 0 || !groups.has(groupOf(file)))
  if (at === -1 || running.size === maxRunning || (slow(waiting[at]) && failed.some((file) => !slow(file))))
    return undefined
  return waiting.splice(at, 1)[0]
}

/** All events. Those of a file are reported after its end. If there is only one file, they are reported as they arrive. */
async function* allEvents() {
  const [waiting, running, failed] = [[...files], new Map(), []]
  for (;;) {
    const nextFile = () => next(waiting, running, failed)
    for (let file = nextFile(); file !== undefined; file = nextFile()) running.set(file, begin(file))
    if (running.size === 0) break
    const all = [...running.values()]
    const { file, events } = files.length === 1 ? all[0] : await Promise.race(all.map(({ ended }) => ended))
    yield* withoutCounts(events)
    const { passed } = await running.get(file).ended
    running.delete(file)
    if (!passed) failed.push(file)
  }
  if (failed.length > 0) process.exitCode = 1
  yield* closing()
}

function* closing() {
  const info = (message) => ({ type: 'test:diagnostic', data: { nesting: 0, level: 'info', message } })
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, 12)
  for (const [file, ms] of slowest) yield info(`${Math.round(ms / 1000)} s ${file}`)
  const totalSeconds = Math.round(Date.now() / 1000 - Number(process.env.BERTH_TEST_BEGAN))
  yield info(`${totalSeconds} s in total, with installation, build and checks`)
  // The sum of the durations of concurrent files is meaningless.
  totals.set('duration_ms', Math.round(performance.now()))
  for (const [name, total] of totals) yield info(`${name} ${total}`)
}

if (files.length === 0) {
  console.error(`berth: no test of scope '${scope}' matches ${patterns.join(' ')}`)
  process.exit(1)
}
const reporter = new spec()
reporter.pipe(process.stdout)
for await (const event of allEvents()) reporter.write(event)
reporter.end()
