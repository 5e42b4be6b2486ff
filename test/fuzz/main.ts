/**
 * main.ts [--short] [--seed N] [--examples N]: every operation of openapi.json, by inputs that fit its schema and by
 * such as do not, at random and in the order in which one call's answer is the next one's input; each answer is held
 * to the description. The long form is `./berth test fuzz`, the short one is in `./berth test`. The same seed makes
 * the same choices; ids and times are new in each run. It ends with status 1 where anything does not hold.
 *
 * Against a Berth on the remembering engine, in a process of its own (berth.ts), in a network without a way out: what a
 * call says about addresses can be reached on loopback or not at all.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { parseArgs } from 'node:util'
import { operations } from '../../src/operations.ts'
import { type Asked, type Run, runOnce } from './run.ts'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, seed: { type: 'string' }, examples: { type: 'string' } },
})

process.exitCode = isAlone() ? await fuzz() : await inOwnNetwork()

/** In a new network there is loopback alone, and it is down. */
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
  if (names !== 'lo') throw new Error(`it has to have loopback and nothing else, and has: ${names}`)
  const asked = askedFor()
  const run = await runOnce(asked)
  report(asked, run)
  return run.isConformant && run.findings.length === 0 && run.defects.length === 0 && isWhole(run) ? 0 : 1
}

/** The coverage phase asks the same in each run: each field at, over and without its bounds. */
function askedFor(): Asked {
  const number = (text: string | undefined, otherwise: number) => (text === undefined ? otherwise : Number(text))
  const seed = number(values.seed, Math.floor(Math.random() * 1e9))
  return values.short
    ? { phases: 'fuzzing,stateful', examples: number(values.examples, 5), seed }
    : { phases: 'examples,coverage,fuzzing,stateful', examples: number(values.examples, 25), seed }
}

/** As many requests as promised, and no operation left out. */
function isWhole({ requests }: Run) {
  return requests.length >= (values.short ? 1000 : 10_000) && missedBy(requests).length === 0
}

function missedBy(requests: Run['requests']): string[] {
  const called = new Set(requests.map(({ op }) => op))
  return operations.map(({ name }) => name).filter((name) => !called.has(name))
}

function report({ seed }: Asked, { requests, findings, defects, seconds }: Run) {
  const ofOperations = requests.filter(({ op }) => op !== '' && !op.startsWith('/'))
  const good = new Set(ofOperations.filter(({ status }) => status === 200).map(({ op }) => op))
  const byStatus = Map.groupBy(requests, ({ status }) => status)
  const missed = missedBy(requests)
  const never = operations.map(({ name }) => name).filter((name) => !good.has(name))
  for (const [what, [first, ...same]] of Map.groupBy(
    findings,
    ({ rule, call }) => `${call.operation} answered ${call.status}, but ${rule}`,
  )) {
    console.log(`\n${what}${same.length > 0 ? ` (and ${same.length} times more)` : ''}:`)
    console.log(`  ${first!.call.body}\n  ${first!.call.curl}`)
  }
  for (const it of defects) console.log(`\nin Berth's log: ${it}`)
  console.log(
    [
      '',
      `${requests.length} requests in ${Math.round(seconds)} s, seed ${seed}`,
      `answers: ${[...byStatus]
        .sort(([a], [b]) => a - b)
        .map(([status, all]) => `${status}: ${all.length}`)
        .join(', ')}`,
      `operations asked: ${operations.length - missed.length} of ${operations.length}; answered with 200: ${good.size}`,
      `never answered with 200: ${never.join(', ') || 'none'}`,
      ...(missed.length === 0 ? [] : [`never asked: ${missed.join(', ')}`]),
      `findings beside those above: ${findings.length}; errors in Berth's log: ${defects.length}`,
    ].join('\n'),
  )
}
