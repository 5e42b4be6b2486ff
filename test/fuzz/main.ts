/**
 * main.ts [--short] [--seed N] [--examples N]: calls every operation of openapi.json, and its stream of events, with
 * random valid and invalid inputs, also in sequences in which the answer of one call is the input of the next. Compares
 * each answer with openapi.json. `./berth test fuzz` makes the long run, `./berth test` the short one. The same seed
 * makes the same choices; ids and times differ in each run. The exit status is 2 if a rule is violated, an answer is
 * 500 or Berth logged a defect, and 1 if another check fails or the run cannot be made.
 *
 * Berth runs on the in-memory engine in a separate process (berth.ts). Both run in a network with loopback only, so that
 * no call reaches another machine.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { parseArgs } from 'node:util'
import { operations } from '../../src/operations.ts'
import { type RunOptions, type Run, runOnce } from './run.ts'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, seed: { type: 'string' }, examples: { type: 'string' } },
})

/** All operations, and the stream of events. */
const names = [...operations.map(({ name }) => name), 'events']

process.exitCode = isAlone() ? await fuzz() : await inOwnNetwork()

/** Whether this process runs in its own network namespace, which has only loopback, in state down. */
function isAlone() {
  return process.env.BERTH_FUZZ_ALONE === '1'
}

async function inOwnNetwork(): Promise<number> {
  const namespace = process.getuid!() === 0 ? [] : ['--map-root-user']
  const argv = [
    '--pdeathsig',
    'KILL',
    'unshare',
    '--net',
    ...namespace,
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]
  const child = spawn('setpriv', argv, { stdio: 'inherit', env: { ...process.env, BERTH_FUZZ_ALONE: '1' } })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

async function fuzz(): Promise<number> {
  spawnSync('ip', ['link', 'set', 'lo', 'up'])
  const names = Object.keys(networkInterfaces()).join(' ')
  if (names !== 'lo') throw new Error(`The network of this process must have loopback only, but has: ${names}`)
  const options = runOptions()
  const run = await runOnce(options)
  report(options, run)
  if (run.findings.length > 0 || run.defects.length > 0 || run.requests.some(({ status }) => status === 500)) return 2
  return run.isConformant && isComplete(run) ? 0 : 1
}

/** The phase `coverage` makes the same calls in each run: each field at its limits, beyond them, and without a value. */
function runOptions(): RunOptions {
  const number = (text: string | undefined, otherwise: number) => (text === undefined ? otherwise : Number(text))
  const seed = number(values.seed, Math.floor(Math.random() * 1e9))
  return values.short
    ? { phases: 'fuzzing,stateful', examples: number(values.examples, 5), seed }
    : { phases: 'examples,coverage,fuzzing,stateful', examples: number(values.examples, 25), seed }
}

/** Whether the run made enough requests and called every operation. */
function isComplete({ requests }: Run) {
  return requests.length >= (values.short ? 1000 : 10_000) && missedBy(requests).length === 0
}

function missedBy(requests: Run['requests']): string[] {
  const called = new Set(requests.map(({ op }) => op))
  return names.filter((name) => !called.has(name))
}

function report({ seed }: RunOptions, { requests, findings, defects, seconds }: Run) {
  const ofOperations = requests.filter(({ op }) => op !== '' && !op.startsWith('/'))
  const good = new Set(ofOperations.filter(({ status }) => status === 200).map(({ op }) => op))
  const byStatus = Map.groupBy(requests, ({ status }) => status)
  const missed = missedBy(requests)
  const never = names.filter((name) => !good.has(name))
  for (const [what, [first, ...same]] of Map.groupBy(
    findings,
    ({ rule, call }) => `${call.operation} answered ${call.status}, but ${rule}`,
  )) {
    console.log(`\n${what}${same.length > 0 ? ` (and ${same.length} more times)` : ''}:`)
    console.log(`  ${first!.call.body}\n  ${first!.call.curl}`)
  }
  for (const defect of defects) console.log(`\nin Berth's log: ${defect}`)
  console.log(
    [
      '',
      `${requests.length} requests in ${Math.round(seconds)} s, seed ${seed}`,
      `answers: ${[...byStatus]
        .sort(([a], [b]) => a - b)
        .map(([status, all]) => `${status}: ${all.length}`)
        .join(', ')}`,
      `operations called: ${names.length - missed.length} of ${names.length}; answered with 200: ${good.size}`,
      `never answered with 200: ${never.join(', ') || 'none'}`,
      ...(missed.length === 0 ? [] : [`never called: ${missed.join(', ')}`]),
      `rule violations (listed above): ${findings.length}; errors in Berth's log: ${defects.length}`,
    ].join('\n'),
  )
}
