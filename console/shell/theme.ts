/** Light or dark colours. The choice stays in this browser. */
import { signal } from '@preact/signals'

export const themes = ['as the system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const storageKey = 'berth-theme'

const isTheme = (text: string | null): text is Theme => themes.includes(text as Theme)

export const theme = signal<Theme>('as the system')

export function chooseTheme(choice: string): void {
  if (!isTheme(choice)) return
  theme.value = choice
  document.documentElement.dataset.theme = choice
  try {
    localStorage.setItem(storageKey, choice)
  } catch {
    // The browser stores nothing for this page: the choice lasts until the page is closed.
  }
}

/** Called before the first screen is drawn. */
export function restoreTheme(): void {
  try {
    chooseTheme(localStorage.getItem(storageKey) ?? '')
  } catch {
    // As above.
  }
}
