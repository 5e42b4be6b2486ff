/**
 * Measures logins: whether their times reveal who has an account, whether memory grows, and how much they delay
 * concurrent reads. Each account and address has only a few wrong logins, so that no limit on attempts applies.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Berth, residentMiB, startBerth } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { addAccounts, type Caller, callerOf, emailOf, type Login, password } from './logins.ts'
import { startBare, startReader } from './processes.ts'
import { alpha, probabilityOfChance, shuffled, smallestShown } from './significance.ts'
import { median, quantile, spread } from './table.ts'

/** With `attemptsEach`: 200 attempts with known and 200 with unknown addresses. */
const accounts = 50
const attemptsEach = 4
/** At most 50 attempts from each address. */
const addresses = 8

const firstLogins = 200
const allLogins = 1000
const idleMs = 5000

const rounds = 5
const roundSeconds = 6
const concurrentLogins = 8
/** 400 reads per second. */
const steady = { connections: 4, everyMs: 10 }

export async function benchAuth(): Promise<Section> {
  const berth = await startBerth()
  const emails = await addAccounts(berth, accounts)
  const callers = await Promise.all(Array.from({ length: addresses }, (_, at) => callerOf(berth, at + 2)))
  try {
    const figures = [await timing(emails, callers), await memory(berth, emails[0]!, callers[0]!)]
    return tableOfFigures('Logins', [...figures.flat(), ...(await readsMeanwhile(berth, emails, callers))])
  } finally {
    for (const caller of callers) caller.close()
    await berth.close()
  }
}

/** Measures in random order, so that other load of the machine affects both groups in the same way. */
async function timing(emails: string[], callers: Caller[]): Promise<Figure[]> {
  const wrong = { password: 'nobody has this one' }
  const attempts = Array.from({ length: attemptsEach }, () =>
    emails.flatMap((email, at) => [
      { email, isKnown: true, ...wrong },
      { email: emailOf('never', at), isKnown: false, ...wrong },
    ]),
  ).flat()
  const [known, unknown]: [number[], number[]] = [[], []]
  for (const [at, { isKnown, ...login }] of shuffled(attempts).entries()) {
    const took = await callers[at % callers.length]!.login(login, 401)
    if (isKnown) known.push(took)
    else unknown.push(took)
  }
  progress(`${attempts.length} wrong logins, medians ${median(unknown).toFixed(2)} and ${median(known).toFixed(2)} ms`)
  const times = { limit: null, digits: 2, unit: 'ms' }
  return [
    { ...times, what: 'unknown e-mail, median', value: median(unknown), note: middleOf(unknown) },
    { ...times, what: 'wrong password, median', value: median(known), note: middleOf(known) },
    {
      ...times,
      what: 'between the two',
      value: median(known) - median(unknown),
      digits: 3,
      note: `${smallestShown(known, unknown).toFixed(3)} ms would have been detected in nine of ten cases`,
    },
    {
      what: 'p, if they are alike',
      value: probabilityOfChance(known, unknown),
      limit: alpha,
      isLeast: true,
      digits: 4,
      unit: '',
      note: 'Mann-Whitney U, two-sided; below the limit the times differ',
    },
  ]
}

const middleOf = (times: number[]) =>
  `${times.length} attempts, eight of ten ${quantile(times, 0.1).toFixed(2)}-${quantile(times, 0.9).toFixed(2)}`

async function memory(berth: Berth, email: string, caller: Caller): Promise<Figure[]> {
  const times: number[] = []
  const residentAfter = async (count: number) => {
    while (times.length < count) times.push(await caller.login({ email, password }))
    await pause(idleMs)
    return residentMiB(berth.child)
  }
  const [early, late] = [await residentAfter(firstLogins), await residentAfter(allLogins)]
  progress(`${allLogins} logins, ${early.toFixed(1)} and ${late.toFixed(1)} MiB, median ${median(times).toFixed(1)} ms`)
  const mebibytes = { digits: 1, unit: 'MiB' }
  const after = (count: number) => `resident after ${count.toLocaleString('en')} logins`
  return [
    {
      what: 'a right login, median',
      value: median(times),
      limit: null,
      digits: 1,
      unit: 'ms',
      note: `p99 ${quantile(times, 0.99).toFixed(1)}, one after the other`,
    },
    { ...mebibytes, what: after(firstLogins), value: early, limit: null, note: `and ${idleMs / 1000} s idle` },
    { ...mebibytes, what: after(allLogins), value: late, limit: null, note: `and ${idleMs / 1000} s idle` },
    { ...mebibytes, what: 'growth between them', value: late - early, limit: 10, note: '' },
  ]
}

/** p99 of reads in ms from Berth and the bare server, without and with concurrent logins, and the rates of logins. */
interface Reading {
  quiet: number[]
  busy: number[]
  bareQuiet: number[]
  bareBusy: number[]
  perSecond: number[]
  barePerSecond: number[]
}

/** The bare server hashes nothing. Its figures show a process that shares the machine with Berth's hashing. */
async function readsMeanwhile(berth: Berth, emails: string[], callers: Caller[]): Promise<Figure[]> {
  const { projectId } = await berth.call('project.create', { name: 'bench' })
  const path = `/api/project.one?projectId=${projectId}`
  const answer = await fetch(berth.url + path, { headers: { authorization: `Bearer ${berth.token}` } })
  const [bare, reader] = [await startBare({ [`GET ${path}`]: await answer.text() }), startReader()]
  const p99Of = async (url: string, seconds = roundSeconds) =>
    quantile((await reader.run({ ...steady, url: url + path, token: berth.token, seconds })).timesMs, 0.99)
  for (const { url } of [berth, bare]) await p99Of(url, 1)
  const reading: Reading = { quiet: [], busy: [], bareQuiet: [], bareBusy: [], perSecond: [], barePerSecond: [] }
  for (let round = 0; round < rounds; round++) {
    reading.quiet.push(await p99Of(berth.url))
    reading.bareQuiet.push(await p99Of(bare.url))
    const logins = keepLoggingIn(callers, emails)
    reading.busy.push(await p99Of(berth.url))
    reading.perSecond.push(logins.perSecond())
    reading.bareBusy.push(await p99Of(bare.url))
    reading.barePerSecond.push(logins.perSecond())
    await logins.end()
    progress(
      `reads p99 ${reading.quiet.at(-1)!.toFixed(1)} ms, with ${reading.perSecond.at(-1)!.toFixed(0)} logins/s ` +
        `${reading.busy.at(-1)!.toFixed(1)} ms; bare ${reading.bareQuiet.at(-1)!.toFixed(1)} ms, ` +
        `${reading.bareBusy.at(-1)!.toFixed(1)} ms`,
    )
  }
  await Promise.all([bare.close(), reader.close()])
  return readingFigures(reading)
}

/** Each caller logs in repeatedly, with its own account. */
function keepLoggingIn(callers: Caller[], emails: string[]) {
  let [isOver, count, start] = [false, 0, performance.now()]
  const running = Promise.all(
    callers.slice(0, concurrentLogins).map(async (caller, at) => {
      const login: Login = { email: emails[at]!, password }
      while (!isOver) {
        await caller.login(login)
        count++
      }
    }),
  )
  return {
    /** The rate since the last call of this function, or since the start. */
    perSecond() {
      const now = performance.now()
      const rate = count / ((now - start) / 1000)
      count = 0
      start = now
      return rate
    },
    async end() {
      isOver = true
      await running
    },
  }
}

function readingFigures({ quiet, busy, bareQuiet, bareBusy, perSecond, barePerSecond }: Reading): Figure[] {
  const times = { digits: 1, unit: 'ms', limit: null }
  const rate = (steady.connections * 1000) / steady.everyMs
  const of = (values: number[], text: string) => ({ value: median(values), note: `${text}: ${spread(values, 1)}` })
  return [
    {
      ...times,
      what: 'reads, p99',
      ...of(quiet, `project.one, ${rate} a second, ${rounds} rounds of ${roundSeconds} s`),
    },
    { ...times, what: `reads during ${concurrentLogins} logins, p99`, ...of(busy, 'always running'), limit: 25 },
    { ...times, what: 'the bare server, p99', ...of(bareQuiet, 'alternating with Berth') },
    { ...times, what: 'the bare server beside the logins, p99', ...of(bareBusy, 'it hashes nothing itself') },
    { ...times, what: 'logins while Berth is read', ...of(perSecond, 'all callers'), unit: '/s' },
    { ...times, what: 'logins while the bare server is read', ...of(barePerSecond, 'all callers'), unit: '/s' },
  ]
}

const progress = (text: string) => process.stderr.write(`  ${text}\n`)
