/** Measures the script time of the console in Chromium, with 1,000 databases. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type Berth, startBerth } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { median, spread } from './table.ts'
import { maxTaskMs, scriptMs, type TraceEvent } from './trace.ts'

const rounds = 5
const projects = 25
const databasesOfProject = 40
const events = { perSecond: 50, seconds: 10 }

export async function benchConsole(): Promise<Section> {
  const berth = await startBerth()
  const ids = await fill(berth)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const page = await signedIn(browser, berth)
    const overview = await measure(browser, page, () => openOverview(page, berth))
    const list = await measure(
      browser,
      page,
      () => changeStatuses(berth, ids),
      () => openList(page, berth),
    )
    return tableOfFigures('The console with 1,000 databases, in Chromium', [
      ...figuresOf('the overview until it is complete', overview),
      ...figuresOf(`the list, ${events.perSecond} events a second for ${events.seconds} s`, list),
    ])
  } finally {
    await browser.close()
    await berth.close()
  }
}

interface Measured {
  scriptMs: number
  maxTaskMs: number
}

const figuresOf = (what: string, measured: Measured[]): Figure[] =>
  (['scriptMs', 'maxTaskMs'] as const).map((name) => {
    const values = measured.map((it) => it[name])
    return {
      what: name === 'scriptMs' ? `${what}: scripts` : `${what}: longest task`,
      value: median(values),
      limit: null,
      digits: 0,
      unit: 'ms',
      note: `${rounds} rounds: ${spread(values, 0)}`,
    }
  })

/** Creates the records. Nothing is deployed. Returns the ids of the databases. */
async function fill(berth: Berth): Promise<string[]> {
  const ids: string[] = []
  for (let project = 0; project < projects; project++) {
    const { projectId } = await berth.call('project.create', { name: `team-${project}` })
    const created = await Promise.all(
      Array.from({ length: databasesOfProject }, (_, at) =>
        berth.call('redis.create', {
          ...{ name: `cache-${at}`, appName: `team-${project}-cache-${at}`, projectId, databasePassword: '' },
          ...{ dockerImage: 'redis:8', applicationStatus: 'done' },
        }),
      ),
    )
    ids.push(...created.map(({ redisId }) => redisId as string))
  }
  return ids
}

async function signedIn(browser: Browser, { url }: Berth): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(url)
  await page.getByLabel('E-mail').fill('bench@example.org')
  await page.getByLabel('Password', { exact: true }).fill('only for the bench')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  return page
}

async function openOverview(page: Page, { url }: Berth) {
  await page.goto(`${url}/`)
  await page.getByRole('link', { name: 'team-24' }).waitFor()
  // What is read last may be drawn after the projects.
  await page.waitForLoadState('load')
  await pause(1000)
}

async function openList(page: Page, { url }: Berth) {
  await page.goto(`${url}/databases`)
  await page.getByText('1,000 databases').waitFor()
  await pause(1000)
}

/** Each change is one event. The rows of the first databases are visible. */
async function changeStatuses(berth: Berth, ids: readonly string[]) {
  const start = performance.now()
  const calls: Promise<unknown>[] = []
  for (let at = 0; at < events.perSecond * events.seconds; at++) {
    const applicationStatus = Math.floor(at / 25) % 2 === 0 ? 'running' : 'done'
    calls.push(berth.call('redis.changeStatus', { redisId: ids[at % 25]!, applicationStatus }))
    await pause(Math.max(0, start + ((at + 1) * 1000) / events.perSecond - performance.now()))
  }
  await Promise.all(calls)
}

async function measure(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
  before = async () => {},
): Promise<Measured[]> {
  const measured: Measured[] = []
  for (let round = 0; round < rounds; round++) {
    await before()
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'v8'] })
    await act()
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
    measured.push({ scriptMs: scriptMs(traceEvents), maxTaskMs: maxTaskMs(traceEvents) })
    process.stderr.write(`  ${JSON.stringify(measured.at(-1))}\n`)
  }
  return measured
}
