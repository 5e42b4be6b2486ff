/** Checks of a page: what axe finds, how wide it is, and screenshots for people to look at. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Tab } from './browser.ts'

/** The folder of `./berth test console --screenshots`. */
const screenshots = process.env.BERTH_SCREENSHOTS

const desktop = { width: 1280, height: 800 }
const phone = { width: 360, height: 740 }
/** 640 px: 1280 px at 200 % zoom. */
const widths = [640, 2560]

/** Rules whose results depend on the colours. */
const colourRules = ['color-contrast', 'link-in-text-block']

interface Options {
  /** The part of the page that axe checks; the whole page by default. */
  selector?: string
  /** The part that axe checks in dark and on the phone. For a long page that repeats its parts, where axe is slow. */
  sample?: string
  /** Leaves out dark colours and axe on the phone, which other states of the screen have in common. */
  isBrief?: boolean
}

/** Checks the page in light, in dark and on a phone. With screenshots, writes a picture of each. */
export async function assertAccessible(tab: Tab, name: string, options: Options = {}): Promise<void> {
  const { page } = tab
  const { selector = 'html', sample = selector, isBrief = false } = options
  const findings: string[] = []
  const addFindings = (variant: string, found: string[]) => {
    findings.push(...found.map((finding) => `${name}, ${variant}: ${finding}`))
  }
  await tab.settled()
  addFindings('light', await findingsOf(page, selector))
  await takeScreenshot(page, `${name}-light`)
  if (!isBrief) {
    await page.emulateMedia({ colorScheme: 'dark' })
    addFindings('dark', await findingsOf(page, sample, colourRules))
    await takeScreenshot(page, `${name}-dark`)
    await page.emulateMedia({ colorScheme: 'light' })
  }
  for (const width of isBrief ? [] : widths) {
    await page.setViewportSize({ ...desktop, width })
    addFindings(`at ${width} px`, await tooWide(page))
  }
  await page.setViewportSize(phone)
  addFindings('on a phone', await tooWide(page))
  if (!isBrief) addFindings('on a phone', await findingsOf(page, sample))
  await takeScreenshot(page, `${name}-phone`)
  await page.setViewportSize(desktop)
  assert.deepEqual([...tab.takeProblems(), ...findings], [])
}

/** What axe finds. Its source is evaluated by the debugger, so that the page's Content-Security-Policy stays on. */
async function findingsOf(page: Page, selector: string, rules?: string[]): Promise<string[]> {
  const debug = await page.context().newCDPSession(page)
  const evaluate = async <T>(expression: string) => {
    const { result, exceptionDetails } = await debug.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value as T
  }
  if (!(await evaluate<boolean>('typeof axe === "object"'))) await evaluate(`${axe.source}; undefined`)
  const options: axe.RunOptions = {
    ...(rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }),
    rules: { 'target-size': { enabled: rules === undefined } },
    resultTypes: ['violations'],
    preload: false,
  }
  const { violations } = await evaluate<axe.AxeResults>(
    `axe.run(${JSON.stringify(selector)}, ${JSON.stringify(options)})`,
  )
  await debug.detach()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}

/** The elements that stick out of the page, if the page scrolls sideways. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const out = [...document.querySelectorAll('body *')].filter((it) => it.getBoundingClientRect().right > clientWidth + 1)
    return [scrollWidth + ' px wide', ...out.slice(0, 4).map((it) => it.outerHTML.slice(0, 120))]
  })()`)
}

async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (screenshots === undefined) return
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
}
