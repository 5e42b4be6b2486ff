/** Opens each dialog of a screen. */
import type { Page } from 'playwright-core'
import { assertAccessible } from './accessibility.ts'
import type { Tab } from './browser.ts'

const openDialog = 'dialog[open]'

/** Clicks each button of the screen, and checks the dialog that it opens. */
export async function checkDialogs(tab: Tab, name: string, path: string): Promise<void> {
  const { page } = tab
  await page.goto(path)
  await tab.settled()
  for (const [number, button] of (await buttonsOf(page)).entries()) {
    // A button may vanish after another one was used.
    const found = page.locator('main').getByRole('button', { name: button, exact: true }).first()
    if (!(await found.isVisible())) continue
    await found.click()
    await tab.settled()
    if (!(await page.locator(openDialog).isVisible())) continue
    await assertAccessible(tab, `${name}-dialog-${number + 1}`, { selector: openDialog, isBrief: true })
    await page.keyboard.press('Escape')
    // A dialog that has to be answered stays.
    if (await page.locator(openDialog).isVisible()) {
      await page.goto(path)
      await tab.settled()
    }
  }
}

/** Buttons that begin work without asking. */
const atOnce = /^(?:Back up|Verify|Test|Open a terminal)\b/

/** The different names of the buttons that can be used and send no form. */
async function buttonsOf(page: Page): Promise<string[]> {
  const buttons = await page.locator('main button[type=button]:not([aria-disabled=true]):visible').all()
  const names = await Promise.all(
    buttons.map(async (each) => (await each.getAttribute('aria-label')) ?? (await each.textContent())!.trim()),
  )
  return [...new Set(names)].filter((name) => !atOnce.test(name))
}
