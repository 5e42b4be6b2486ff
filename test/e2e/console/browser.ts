/** A real Chromium with the console: pages that report their errors, and the sign-in by the form. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core'
import { until } from '../../engine/until.ts'
import { folderUnder } from '../../fixtures/folder.ts'
import { administrator } from './console-berth.ts'
import { createNamespace } from './namespace.ts'

/** `./berth test` installs it. */
const program = '/usr/bin/chromium'

export interface TestBrowser {
  chromium: Browser
  /** Makes a port of this machine's loopback reachable for the browser, which reaches nothing else. */
  forward(port: number): Promise<void>
}

export async function startBrowser(end: AsyncDisposableStack): Promise<TestBrowser> {
  const folder = folderUnder(end)
  const { enter, forward } = end.use(await createNamespace())
  const executablePath = join(folder, 'chromium')
  writeFileSync(executablePath, `#!/bin/sh\nexec ${enter.join(' ')} ${program} "$@"\n`, { mode: 0o755 })
  // The tests run as root, which Chromium's sandbox refuses.
  // In another locale Chromium stores nothing in a folder whose name is not ASCII.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], env })
  end.defer(() => browser.close())
  return { chromium: browser, forward }
}

/** One person with a browser of their own: its tabs share cookies and the worker that follows the events. */
export interface Person {
  context: BrowserContext
  /** Opens a tab with an address of Berth. */
  open(path: string): Promise<Tab>
}

export interface Tab {
  page: Page
  /** Allows problems that the test causes on purpose, and the errors that Chromium logs about them. */
  expect(...patterns: RegExp[]): void
  /** Waits until the page shows its data and asks for no more. */
  settled(): Promise<void>
  /** Returns the problems since the last call. */
  takeProblems(): string[]
}

/** Opens a window without cookies. At the end of the test it is closed, and the test fails if a tab had a problem. */
export async function newPerson(
  t: { after(close: () => Promise<void>): void },
  browser: TestBrowser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Person> {
  await browser.forward(Number(new URL(url).port))
  const context = await browser.chromium.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(30_000)
  const tabs: Tab[] = []
  t.after(async () => {
    await context.close()
    const problems = tabs.flatMap(({ takeProblems }) => takeProblems())
    assert.deepEqual(problems, [])
  })
  const open = async (path: string) => {
    const tab = watch(await context.newPage())
    tabs.push(tab)
    await tab.page.goto(path)
    return tab
  }
  return { context, open }
}

/** Signs in as the administrator with the form, on the screen of `path`. */
export async function signedIn(person: Person, path = '/', account = administrator): Promise<Tab> {
  const tab = await person.open(path)
  await signIn(tab.page, account)
  await tab.page.getByRole('navigation').first().waitFor()
  return tab
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  const field = page.getByLabel('E-mail')
  if (await field.isEditable()) await field.fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The page asks who is signed in, and nobody is. */
const usual = [/status of 401 .*\/api\/auth\.get$/]

/** Requests that end by themselves: not those that follow something. */
const isCounted = (url: string) => /\/api\//.test(url) && !url.includes('follow=true')

/** Chromium reports violations of the Content-Security-Policy and failed requests as errors in its console. */
function watch(page: Page): Tab {
  let all: string[] = []
  const expected = [...usual]
  const requests = new Set<Request>()
  page.on('console', (message) => {
    if (message.type() === 'error') all.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => all.push(`${error.name}: ${error.message}`))
  page.on('request', (request) => {
    if (isCounted(request.url())) requests.add(request)
  })
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
  return {
    page,
    expect: (...patterns) => {
      expected.push(...patterns)
    },
    settled,
    takeProblems,
  }

  function takeProblems() {
    const problems = all.filter((text) => !expected.some((pattern) => pattern.test(text)))
    all = []
    return problems
  }

  async function settled() {
    await page.locator('main').waitFor()
    let quiet = 0
    await until(`${page.url()} to be complete`, async () => {
      const isLoading = requests.size > 0 || (await page.locator('.loading:visible').count()) > 0
      quiet = isLoading ? 0 : quiet + 1
      return quiet === 3
    })
  }
}
