/** A plot of series over time. The library that draws it is loaded when it is needed. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { PlotOptions } from './draw.ts'

/** @param label says what the plot shows, for people who do not see it */
export function Plot({ label, ...options }: PlotOptions & { label: string }) {
  const parent = useRef<HTMLDivElement>(null)
  const isFailed = useSignal(false)
  const { times, lines, marks } = options
  useEffect(() => {
    let remove: (() => void) | null = null
    let isShown = true
    import('./draw.ts').then(
      ({ draw }) => {
        if (isShown && parent.current !== null) remove = draw(parent.current, options)
      },
      () => {
        isFailed.value = true
      },
    )
    return () => {
      isShown = false
      remove?.()
    }
  }, [times, lines, marks])
  return (
    <>
      <div class="plot" role="img" aria-label={label} ref={parent} />
      {isFailed.value && <p class="hint">The plot could not be loaded. Load the page anew.</p>}
    </>
  )
}
