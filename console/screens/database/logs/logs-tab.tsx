/** The tab Logs of a database: follows the log, with search, pause and download. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { useSearch } from 'wouter-preact'
import { Button } from '../../../components/button.tsx'
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { SelectField } from '../../../components/forms/fields.tsx'
import { idInput } from '../../../data/kinds.ts'
import { relativeText } from '../../../data/format.ts'
import type { TabProps } from '../view.ts'
import { hitsIn, ofStream, type StreamChoice } from './log-buffer.ts'
import { followLog } from './log-follower.ts'
import { LogFoot } from './log-foot.tsx'
import { LogView } from './log-view.tsx'
import { Search } from './search.tsx'
import { shellLine } from '../../../../shared/shell-word.ts'

const tails = ['100', '500', '1000', '5000'].map((value) => ({
  value,
  text: `newest ${Number(value).toLocaleString('en')}`,
}))
const sinces = [
  { value: '', text: 'any time' },
  { value: '15m', text: 'last 15 minutes' },
  { value: '1h', text: 'last hour' },
  { value: '6h', text: 'last 6 hours' },
  { value: '1d', text: 'last day' },
]
const streams = [
  { value: 'both', text: 'both' },
  { value: 'stdout', text: 'standard output' },
  { value: 'stderr', text: 'standard error' },
]

export function LogsTab({ kind, databaseId, record, path }: TabProps) {
  const given = new URLSearchParams(useSearch()).get('since') ?? ''
  const since = useSignal(given)
  const tail = useSignal(given === '' ? '500' : '5000')
  const stream = useSignal('both')
  const search = useSignal('')
  const current = useSignal<number | null>(null)
  const attempt = useSignal(0)
  const request = { kind, databaseId, tail: Number(tail.value), since: since.value }
  const follower = useMemo(() => followLog(request), [kind, databaseId, tail.value, since.value, attempt.value])
  useEffect(() => follower.stop, [follower])
  const { lines: all, dropped } = follower.shown.value
  const lines = useMemo(() => ofStream(all, stream.value as StreamChoice), [all, stream.value])
  const hits = useMemo(() => hitsIn(lines, search.value), [lines, search.value])
  const sinceChoices =
    given === '' ? sinces : [{ value: given, text: `since ${relativeText(Date.parse(given), Date.now())}` }, ...sinces]
  return (
    <>
      <div class="tools">
        <SelectField field={since} label="From" choices={sinceChoices} />
        <SelectField field={tail} label="Lines" choices={tails} />
        <SelectField field={stream} label="Output" choices={streams} />
        <Search search={search} hits={hits} current={current} />
        <PauseButton follower={follower} />
      </div>
      <LogView lines={lines} dropped={dropped} needle={search.value} current={current.value} />
      <LogFoot
        follower={follower}
        lines={lines}
        fileName={`${record.appName}.log`}
        status={record.applicationStatus}
        again={() => attempt.value++}
      />
      <EqualCalls
        operation={`${kind}.logs`}
        input={{
          ...idInput(kind, databaseId),
          tail: request.tail,
          ...(since.value === '' ? {} : { since: since.value }),
        }}
        command={shellLine`berth logs ${path} --tail ${tail.value}${since.value === '' ? [] : ['--since', since.value]} --follow`}
      />
    </>
  )
}

function PauseButton({ follower }: { follower: ReturnType<typeof followLog> }) {
  const isPaused = follower.isPaused.value
  return <Button onClick={isPaused ? follower.resume : follower.pause}>{isPaused ? 'Go on' : 'Pause'}</Button>
}
