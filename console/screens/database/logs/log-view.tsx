/** The lines of a log. Only the visible ones are in the page, so that 10,000 stay fluid. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { exactText } from '../../../data/format.ts'
import { type Line, partsOf } from './log-buffer.ts'

interface Props {
  lines: readonly Line[]
  /** Grows when older lines are dropped: what is read must not move away. */
  dropped: number
  needle: string
  /** The position of the hit to show; null: none. */
  current: number | null
}

/** The height of a line: 1.25 times the text of the page, as in database.css. */
const rowHeightPx = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) * 1.25
/** Lines above and below the visible ones. */
const margin = 20

export function LogView({ lines, dropped, needle, current }: Props) {
  const box = useRef<HTMLElement>(null)
  const first = useSignal(0)
  const rows = useSignal(60)
  const isAtEnd = useSignal(true)
  const lastDropped = useRef(dropped)
  const height = rowHeightPx()
  const measure = () => {
    const { scrollTop, clientHeight, scrollHeight } = box.current!
    first.value = Math.max(0, Math.floor(scrollTop / height) - margin)
    rows.value = Math.ceil(clientHeight / height) + 2 * margin
    isAtEnd.value = scrollHeight - scrollTop - clientHeight < 2 * height
  }
  const toEnd = () => {
    box.current!.scrollTop = box.current!.scrollHeight
    measure()
  }
  useLayoutEffect(() => {
    if (isAtEnd.peek()) toEnd()
    else if (dropped > lastDropped.current) box.current!.scrollTop -= (dropped - lastDropped.current) * height
    lastDropped.current = dropped
  }, [lines, dropped])
  useEffect(() => {
    if (current === null) return
    box.current!.scrollTop = Math.max(0, current * height - box.current!.clientHeight / 2)
    measure()
  }, [current])
  const from = Math.min(first.value, Math.max(0, lines.length - 1))
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
      <section class="log" ref={box} tabIndex={0} aria-label="Log, oldest line first" onScroll={measure}>
        <ol style={{ height: `${lines.length * height}px`, paddingTop: `${from * height}px` }}>
          {lines.slice(from, from + rows.value).map((line, at) => (
            <Row key={line.key} line={line} needle={needle} isCurrent={from + at === current} />
          ))}
        </ol>
      </section>
      {!isAtEnd.value && (
        <Button small onClick={toEnd}>
          To the newest line
        </Button>
      )}
    </>
  )
}

function Row({ line: { at, stream, text }, needle, isCurrent }: { line: Line; needle: string; isCurrent: boolean }) {
  return (
    <li class={`${stream} ${isCurrent ? 'current' : ''}`}>
      <time dateTime={at} title={exactText(Date.parse(at))}>
        <span class="day">{day.format(Date.parse(at))} </span>
        {clock.format(Date.parse(at))}
      </time>
      <span class="stream" title={stream === 'stderr' ? 'standard error' : 'standard output'}>
        {stream === 'stderr' ? 'err' : 'out'}
      </span>
      <span>
        {partsOf(text, needle).map(({ text: part, isHit }, index) => (isHit ? <mark key={index}>{part}</mark> : part))}
      </span>
    </li>
  )
}

/** In the person's time zone. On a phone there is no room for the day. */
const day = new Intl.DateTimeFormat('en-GB', { month: 'short', day: '2-digit' })
const clock = new Intl.DateTimeFormat('en-GB', {
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
})
