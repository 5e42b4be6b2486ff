// test.js SCOPE [PATTERN...]: the tests under one reporter and one summary: first the quick ones, a file for each core;
// then, if they passed, those of test/e2e and test/faults three files at once, for they wait much of the time; then
// those that take the proxy of the swarm, of which there is one.
// SCOPE: unit, e2e or all; faults, crash, soak or versions: also the long tests of these, which no other scope has.
// BERTH_TEST_BEGAN: when ./berth was started, in seconds since 1970.
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const [scope, ...patterns] = process.argv.slice(2)
const scopes = {
  crash: ['test/crash/*.long.ts'],
  soak: ['test/soak/*.long.ts'],
  versions: ['test/e2e/versions.long.ts', 'test/e2e/{dumps,{mysql,mongo,postgres,redis}-kind*}.test.ts'],
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
const first = ['test/sweep.test.ts', 'test/access.test.ts']
const files = globSync(wanted).sort((a, b) => first.includes(b) - first.includes(a) || (a < b ? -1 : 1))
const slow = (file) => /^test\/(?:e2e|faults)\/|\.long\.ts$/.test(file)
// Any Berth that sees an application of theirs makes that proxy, and the crash test changes the node: nothing else can
// run beside them.
const takesProxy = (file) => /^test\/e2e\/(?:crash|routing|ports|certificates|acme|proxy-process)/.test(file)
const parts = [
  { files: scope === 'e2e' ? [] : files.filter((file) => !slow(file)), concurrency: availableParallelism() },
  { files: scope === 'unit' ? [] : files.filter((file) => slow(file) && !takesProxy(file)), concurrency: 3 },
  { files: scope === 'unit' ? [] : files.filter(takesProxy), concurrency: 1 },
].filter((part) => part.files.length > 0)

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

async function* allEvents() {
  for (const part of parts) {
    let passed = false
    for await (const event of run(part)) {
      if (event.type === 'test:summary' && event.data.file !== undefined) {
        times.set(relative('.', event.data.file), event.data.duration_ms)
      }
      if (isSummary(event)) passed = event.data.success
      else if (isCount(event)) count(event)
      else yield event
    }
    if (!passed) { process.exitCode = 1; break }
  }
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, 12)
  for (const [file, ms] of slowest) yield closing(`${Math.round(ms / 1000)} s ${file}`)
  const whole = Math.round(Date.now() / 1000 - Number(process.env.BERTH_TEST_BEGAN))
  yield closing(`${whole} s in all, with what had to be installed, built and checked first`)
  for (const [name, total] of totals) yield closing(`${name} ${total}`)
}

if (scope === 'versions' || scope === 'faults') process.env.BERTH_TEST_ALL = '1'
// Each file is a process: what one has compiled the next ones need not.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/tests')

if (parts.length === 0) {
  console.error(`berth: no test of scope '${scope}' matches ${patterns.join(' ')}`)
  process.exit(1)
}
const reporter = new spec()
reporter.pipe(process.stdout)
for await (const event of allEvents()) reporter.write(event)
reporter.end()
