/** Searches in the loaded lines, and steps through the hits. */
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { countText } from '../../../data/format.ts'

interface Props {
  search: Signal<string>
  /** The positions of the lines with a hit. */
  hits: readonly number[]
  /** The position of the hit that is shown. */
  current: Signal<number | null>
}

export function Search({ search, hits, current }: Props) {
  const id = useId()
  const at = current.value === null ? -1 : hits.indexOf(current.value)
  const step = (by: 1 | -1) => {
    if (hits.length === 0) return
    // The first step goes to the newest hit.
    const next = at === -1 ? hits.length - 1 : (at + by + hits.length) % hits.length
    current.value = hits[next]!
  }
  return (
    <div class="search field">
      <label for={id}>Search in the loaded lines</label>
      <div class="inline-copy">
        <input
          id={id}
          class="input"
          type="search"
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value
            current.value = null
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? 1 : -1)
          }}
        />
        <Button
          small
          label="Older hit"
          unavailable={hits.length === 0 ? 'There is no hit' : null}
          onClick={() => step(-1)}
        >
          ↑
        </Button>
        <Button
          small
          label="Newer hit"
          unavailable={hits.length === 0 ? 'There is no hit' : null}
          onClick={() => step(1)}
        >
          ↓
        </Button>
        <span class="small muted hits" role="status">
          {search.value.trim() === '' ? '' : at === -1 ? countText(hits.length, 'line') : `${at + 1} of ${hits.length}`}
        </span>
      </div>
    </div>
  )
}
