/**
 * Logins: whether their times tell who has an account, whether they keep memory, and what they cost whoever reads
 * meanwhile. Right ones and few wrong ones for each account and address, so that no limit on guessing is met.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Berth, residentMiB, startBerth } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { addAccounts, type Caller, callerOf, emailOf, type Login, password } from './logins.ts'
import { startBare, startReader } from './processes.ts'
import { alpha, probabilityOfChance, shuffled, smallestShown } from './significance.ts'
import { median, quantile, spread } from './table.ts'

/** Of each kind: 200 tries. */
const accounts = 50
const triesEach = 4
/** At most 50 tries from each. */
const addresses = 8

const firstLogins = 200
const allLogins = 1000
const idleMs = 5000

const rounds = 5
const roundSeconds = 6
const underWay = 8
/** 400 reads a second. */
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

/** In an order of chance, so that whatever else the machine does falls on both alike. */
async function timing(emails: string[], callers: Caller[]): Promise<Figure[]> {
  const wrong = { password: 'nobody has this one' }
  const tries = Array.from({ length: triesEach }, () =>
    emails.flatMap((email, at) => [
      { email, isKnown: true, ...wrong },
      { email: emailOf('never', at), isKnown: false, ...wrong },
    ]),
  ).flat()
  const [known, unknown]: [number[], number[]] = [[], []]
  for (const [at, { isKnown, ...login }] of shuffled(tries).entries()) {
    const took = await callers[at % callers.length]!.login(login, 401)
    if (isKnown) known.push(took)
    else unknown.push(took)
  }
  progress(`${tries.length} wrong logins, medians ${median(unknown).toFixed(2)} and ${median(known).toFixed(2)} ms`)
  const times = { limit: null, digits: 2, unit: 'ms' }
  return [
    { ...times, what: 'unknown e-mail, median', value: median(unknown), note: middleOf(unknown) },
    { ...times, what: 'wrong password, median', value: median(known), note: middleOf(known) },
    {
      ...times,
      what: 'between the two',
      value: median(known) - median(unknown),
      digits: 3,
      note: `${smallestShown(known, unknown).toFixed(3)} ms would have been seen in nine of ten cases`,
    },
    {
      what: 'p, if they are alike',
      value: probabilityOfChance(known, unknown),
      limit: alpha,
      isLeast: true,
      digits: 4,
      unit: '',
      note: 'Mann-Whitney U, two-sided; below the limit they are said to differ',
    },
  ]
}

const middleOf = (times: number[]) =>
  `${times.length} tries, eight of ten ${quantile(times, 0.1).toFixed(2)}-${quantile(times, 0.9).toFixed(2)}`

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

/** p99 of the reads, by what is read and whether logins are under way; and how many logins a second there were then. */
interface Reading {
  quiet: number[]
  busy: number[]
  bareQuiet: number[]
  bareBusy: number[]
  perSecond: number[]
  barePerSecond: number[]
}

/** The bare server hashes nothing: what it shows is a process that shares the machine with Berth's hashing. */
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

/** One login after the other by each caller, each with an account of its own. */
function keepLoggingIn(callers: Caller[], emails: string[]) {
  let [isOver, count, start] = [false, 0, performance.now()]
  const running = Promise.all(
    callers.slice(0, underWay).map(async (caller, at) => {
      const login: Login = { email: emails[at]!, password }
      while (!isOver) {
        await caller.login(login)
        count++
      }
    }),
  )
  return {
    /** Since the last time that it was asked, or the start. */
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
    { ...times, what: `reads during ${underWay} logins, p99`, ...of(busy, 'always under way'), limit: 25 },
    { ...times, what: 'the bare server, p99', ...of(bareQuiet, 'in turn') },
    { ...times, what: 'the bare server beside the logins, p99', ...of(bareBusy, 'it hashes nothing itself') },
    { ...times, what: 'logins while Berth is read', ...of(perSecond, 'all callers'), unit: '/s' },
    { ...times, what: 'logins while the bare server is read', ...of(barePerSecond, 'all callers'), unit: '/s' },
  ]
}

const progress = (text: string) => process.stderr.write(`  ${text}\n`)
