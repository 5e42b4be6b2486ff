/**
 * A list of which only the visible rows are in the page. All rows have the same height. The page itself scrolls, so that
 * a list behaves like any other content.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface Props<T> {
  /** What the list contains, for a screen reader. */
  label: string
  rows: readonly T[]
  rowKey: (row: T) => string
  /** The cells of a row, one for each title. A row contains a link, which the arrow keys reach. */
  cells: (row: T) => ComponentChildren
  titles: readonly string[]
}

/** Rows that are in the page above and below the visible ones, so that the Tab key reaches the next one. */
const beyond = 8

export function VirtualList<T>({ label, rows, rowKey, cells, titles }: Props<T>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const { range, height } = useVisibleRange(body, rows.length)
  const focused = useSignal<number | null>(null)
  const moved = useRef(false)
  const vnodes = useVNodes(cells)
  useLayoutEffect(() => {
    if (!moved.current) return
    moved.current = false
    body.current!.querySelector<HTMLElement>(`[data-row="${focused.peek()}"] a`)?.focus()
  })
  const { first, end } = range.value
  const shown = indexesOf(first, Math.min(end, rows.length), focused.value, rows.length)
  const keyDown = (event: KeyboardEvent) => {
    const to = targetOf(event.key, focused.peek(), rows.length, end - first - 2 * beyond)
    if (to === null) return
    event.preventDefault()
    moved.current = true
    focused.value = to
  }
  return (
    // Only visible rows are in the page, so the table says where each row is.
    <table class="vlist" aria-label={label} aria-rowcount={rows.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {titles.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody
        ref={body}
        style={{ height: `${rows.length * height.value}px` }}
        onKeyDown={keyDown}
        onFocusIn={(event) => (focused.value = indexOf(event.target))}
        onFocusOut={() => (focused.value = moved.current ? focused.peek() : null)}
      >
        {shown.map((index) => {
          const row = rows[index]!
          return (
            <tr
              key={rowKey(row)}
              aria-rowindex={index + 2}
              data-row={index}
              style={{ transform: `translateY(${index * height.value}px)` }}
            >
              {vnodes(row)}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** The first row in the page, and the one after the last. */
function useVisibleRange(body: { current: HTMLElement | null }, count: number) {
  const range = useSignal({ first: 0, end: 40 })
  const height = useSignal(34)
  useLayoutEffect(() => {
    const measure = () => {
      const element = body.current!
      const rowHeight = rowHeightOf(element)
      const top = -element.getBoundingClientRect().top
      const first = Math.max(0, Math.floor(top / rowHeight) - beyond)
      const end = Math.ceil((top + innerHeight) / rowHeight) + beyond
      height.value = rowHeight
      const present = range.peek()
      if (present.first !== first || present.end !== end) range.value = { first, end }
    }
    measure()
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [count])
  return { range, height }
}

/** The style says how high a row is, which differs on a phone. */
function rowHeightOf(element: HTMLElement): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-rem')) * rem
}

/** The content of a row that is drawn already stays as it is while the list scrolls. */
function useVNodes<T>(cells: (row: T) => ComponentChildren) {
  const known = useRef({ cells, byRow: new Map<T, ComponentChildren>() })
  useEffect(() => () => known.current.byRow.clear(), [])
  if (known.current.cells !== cells) known.current = { cells, byRow: new Map() }
  return (row: T) => {
    const { byRow } = known.current
    if (!byRow.has(row)) byRow.set(row, cells(row))
    return byRow.get(row) as VNode
  }
}

/** The row with the focus stays in the page, or the focus would be lost while the list scrolls. */
function indexesOf(first: number, end: number, focused: number | null, count: number): number[] {
  const indexes = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at)
  if (focused === null || focused >= count || (focused >= first && focused < end)) return indexes
  return focused < first ? [focused, ...indexes] : [...indexes, focused]
}

const indexOf = (target: EventTarget | null): number | null => {
  const row = (target as Element).closest<HTMLElement>('[data-row]')
  return row === null ? null : Number(row.dataset.row)
}

/** The first and the last row. */
const edges: Record<string, (count: number) => number> = Object.fromEntries([
  ['Home', () => 0],
  ['End', (count: number) => count - 1],
])

function targetOf(key: string, from: number | null, count: number, page: number): number | null {
  if (from === null) return null
  const targets: Record<string, number> = {
    ...{ ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page },
  }
  const to = edges[key]?.(count) ?? targets[key]
  return to === undefined ? null : Math.min(Math.max(0, to), count - 1)
}
