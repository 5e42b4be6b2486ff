// test.js SCOPE [PATTERN...]: the tests under one reporter and one summary: first the quick ones, a file for each core
// and one more, for some wait now and then; then, if they passed, those of test/e2e and test/faults two files at once,
// for they wait much of the time, and beside them, one at a time, those that take what there is one of.
// SCOPE: unit, e2e or all; faults, crash, soak or versions: also the long tests of these, which no other scope has.
// BERTH_TEST_BEGAN: when ./berth was started, in seconds since 1970.
import { existsSync, globSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const [scope, ...patterns] = process.argv.slice(2)
if (scope === 'versions' || scope === 'faults') process.env.BERTH_TEST_ALL = '1'
// Each file is a process: what one has compiled the next ones need not.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/tests')
const scopes = {
  crash: ['test/crash/*.long.ts'],
  soak: ['test/soak/*.long.ts'],
  versions: ['test/e2e/versions.long.ts', 'test/e2e/{dumps,kinds,backups,{mysql,mongo,postgres,redis}-kind*}.test.ts'],
  // Some are tested beside what they befall.
  faults: [
    'test/faults/*.{test,long}.ts', 'test/start.test.ts', 'test/http/{sockets,errors}.test.ts', 'src/http/*.test.ts',
    'src/engine/docker-client.test.ts', 'src/store/{open-sqlite,migrations,attempts}.test.ts', 'src/lib/loop.test.ts',
    'test/machine/*.test.ts', 'test/operations/{work-*,*-crash,*-clock,*-attacks,*-races,*-faults}.test.ts',
    'test/e2e/{engine-away,failures,*-faults,*crash,backup-clock,backup-line,nodes}.test.ts',
  ],
}
const wanted = patterns.length > 0 ? patterns : scopes[scope] ?? ['src/**/*.test.ts', 'test/**/*.test.ts']
// Of the quick ones, those that take minutes begin first: at the end each would be left alone.
const first = ['test/sweep.test.ts', 'test/machine/state.test.ts']
const files = globSync(wanted).sort((a, b) => first.includes(b) - first.includes(a) || (a < b ? -1 : 1))
const slow = (file) => /^test\/(?:e2e|faults)\/|\.long\.ts$/.test(file)
// Those that take what there is one of: the proxy of the swarm, its registry, the labels of its node.
const takesOne = (file) =>
  /^test\/e2e\/(?:crash|engine\.|routing|ports|certificates|acme|proxy-process|own-registry)/.test(file)
const quickOnes = {
  files: scope === 'e2e' ? [] : files.filter((file) => !slow(file)), concurrency: availableParallelism() + 1,
  env: { ...process.env, TMPDIR: roomInMemory() ?? process.env.TMPDIR },
}
const slowOnes = scope === 'unit' ? [] : files.filter(slow)
const beside = [
  { files: slowOnes.filter((file) => !takesOne(file)), concurrency: 2 },
  { files: slowOnes.filter(takesOne), concurrency: 1 },
]
/** The parts of each are run beside each other. */
const turns = [[quickOnes], beside].map((parts) => parts.filter(({ files }) => files.length > 0))
  .filter((parts) => parts.length > 0)
/**
 * A file whose tests have ended is over, whatever one that failed has left open. What it said last is not lost for that
 * where this process reads slowly: Node writes to a pipe that is full only later, unless it is told to wait.
 */
const saysAll = '--import=data:text/javascript,process.stdout._handle?.setBlocking?.(true)'
const timeout = ['all', 'unit', 'e2e'].includes(scope) ? ['--test-timeout=1200000'] : []
const execArgv = ['--test-force-exit', saysAll, ...timeout]

/** Where a sync costs nothing: the quick tests are about other things than disks. */
function roomInMemory() {
  const folder = '/dev/shm'
  if (!existsSync(folder)) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > 2 ** 30 ? folder : undefined
}

const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/
const totals = new Map()
const isCount = ({ type, data }) => type === 'test:diagnostic' && data.nesting === 0 && COUNT.test(data.message)
const isSummary = ({ type, data }) => type === 'test:summary' && data.file === undefined

/** Adds up the closing counts of a part instead of passing them on. */
const count = ({ data }) => {
  const [, name, value] = COUNT.exec(data.message)
  totals.set(name, (totals.get(name) ?? 0) + Number(value))
}

/** Which files took how long, in ms. */
const times = new Map()

const closing = (message) => ({ type: 'test:diagnostic', data: { nesting: 0, level: 'info', message } })

/** Gives whether all passed. */
async function* told(events) {
  let passed = false
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file !== undefined) {
      times.set(relative('.', event.data.file), event.data.duration_ms)
    }
    if (isSummary(event)) passed = event.data.success
    else if (isCount(event)) count(event)
    else yield event
  }
  return passed
}

async function* allEvents() {
  for (const parts of turns) {
    let passed = true
    // All begin now, and are told one after the other.
    for (const events of parts.map((part) => run({ ...part, execArgv }))) passed = (yield* told(events)) && passed
    if (!passed) { process.exitCode = 1; break }
  }
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, 12)
  for (const [file, ms] of slowest) yield closing(`${Math.round(ms / 1000)} s ${file}`)
  const whole = Math.round(Date.now() / 1000 - Number(process.env.BERTH_TEST_BEGAN))
  yield closing(`${whole} s in all, with what had to be installed, built and checked first`)
  for (const [name, total] of totals) yield closing(`${name} ${total}`)
}

if (turns.length === 0) {
  console.error(`berth: no test of scope '${scope}' matches ${patterns.join(' ')}`)
  process.exit(1)
}
const reporter = new spec()
reporter.pipe(process.stdout)
for await (const event of allEvents()) reporter.write(event)
reporter.end()
