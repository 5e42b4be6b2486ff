/** The present time as a signal, for texts such as "3 minutes ago". */
import { signal } from '@preact/signals'

/** Milliseconds since 1970. Changes every 10 seconds while the page is visible. */
export const now = signal(Date.now())

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 10_000)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) now.value = Date.now()
})
