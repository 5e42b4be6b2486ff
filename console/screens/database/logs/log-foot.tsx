/** Below a log: whether it is live, how many lines there are and wait, and the download. */
import { Button } from '../../../components/button.tsx'
import { ErrorNotice, Notice } from '../../../components/notice.tsx'
import { State, type Tone } from '../../../components/state.tsx'
import { countText, numberText } from '../../../data/format.ts'
import type { TabProps } from '../view.ts'
import { fileText, type Line, maxLines } from './log-buffer.ts'
import type { Connection, LogFollower } from './log-follower.ts'
import { download } from '../../../components/copy.tsx'

interface Props {
  follower: LogFollower
  /** The lines that are shown. */
  lines: readonly Line[]
  fileName: string
  status: TabProps['record']['applicationStatus']
  again: () => void
}

const states: Record<Connection, { tone: Tone; text: string }> = {
  connecting: { tone: 'working', text: 'connecting' },
  live: { tone: 'good', text: 'live: new lines appear at once' },
  lost: { tone: 'warning', text: 'connection lost: trying again' },
  ended: { tone: 'neutral', text: 'ended: no more lines follow' },
  failed: { tone: 'critical', text: 'failed' },
}

export function LogFoot({ follower, lines, fileName, status, again }: Props) {
  const connection = follower.connection.value
  const isPaused = follower.isPaused.value
  const { tone, text } = states[connection]
  return (
    <>
      {connection === 'failed' && (
        <ErrorNotice error={follower.error.value}>
          <Button small onClick={again}>
            Try again
          </Button>
        </ErrorNotice>
      )}
      <div class="log-foot">
        {isPaused ? <State tone="neutral">paused: {waitingText(follower)}</State> : <State tone={tone}>{text}</State>}
        <span class="muted">
          {countText(lines.length, 'line')}
          {follower.shown.value.dropped > 0 &&
            `; ${numberText(follower.shown.value.dropped)} older ones were dropped, because the page keeps ` +
              numberText(maxLines)}
        </span>
        {status === 'idle' && lines.length > 0 && (
          <span class="muted">The database is stopped: these lines are from its last containers.</span>
        )}
        {connection === 'ended' && <Button onClick={again}>Follow again</Button>}
        <Button
          unavailable={lines.length === 0 ? 'There are no lines' : null}
          onClick={() => download(fileName, fileText(lines))}
        >
          Download these lines
        </Button>
      </div>
      {lines.length === 0 && (connection === 'live' || connection === 'ended') && (
        <Notice>
          <p>{emptyText(status)}</p>
        </Notice>
      )}
    </>
  )
}

function waitingText({ waiting }: LogFollower): string {
  const { lines, dropped } = waiting.value
  return `${countText(lines.length + dropped, 'new line')} ${lines.length + dropped === 1 ? 'waits' : 'wait'}`
}

const emptyText = (status: Props['status']) =>
  status === 'idle'
    ? 'There are no lines. Docker keeps a log as long as its container, so a stopped database usually has none. The ' +
      'reason of its last end is under State.'
    : 'There are no lines in this range. Choose an earlier time, or wait: new lines appear here.'
