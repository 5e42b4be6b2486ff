/** The values of a database or a node over time, with what happened to it meanwhile. */
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { Choices } from '../choices.tsx'
import { EqualCalls } from '../forms/equal-calls.tsx'
import { Loaded } from '../loaded.tsx'
import { Plot } from '../plot/plot.tsx'
import { Time } from '../time.tsx'
import { useQuery } from '../../data/live/query.ts'
import {
  axisSteps,
  databasePlans,
  drawnValues,
  type History,
  type Mark,
  nodePlans,
  type PlotPlan,
  seriesNames,
  type Series,
  summaryOf,
  timesOf,
  valueText,
} from './plots.ts'

const ranges = [
  { value: '24h', text: '24 hours' },
  { value: '7d', text: '7 days' },
  { value: '30d', text: '30 days' },
  { value: '365d', text: 'A year' },
]
const everyMs = 60_000

export function DatabaseHistory({ databaseId }: { databaseId: string }) {
  const [path, navigate] = useLocation()
  const given = new URLSearchParams(useSearch()).get('range')
  const since = ranges.find(({ value }) => value === given)?.value ?? '24h'
  const query = useQuery('metrics.query', { databaseId, since }, { kinds: [], everyMs })
  return (
    <section class="stack" aria-labelledby="history">
      <div class="card-head">
        <h2 id="history">Over time</h2>
        <RangeChoices since={since} onChange={(value) => navigate(`${path}?range=${value}`, { replace: true })} />
      </div>
      <Loaded query={query} what="the values over time">
        {(history) => <Plots history={history} plans={databasePlans} />}
      </Loaded>
      <EqualCalls operation="metrics.query" input={{ databaseId, since }} />
    </section>
  )
}

export function NodeHistory({ nodeId }: { nodeId: string }) {
  const since = useSignal('24h')
  const query = useQuery('metrics.queryNode', { nodeId, since: since.value }, { kinds: [], everyMs })
  return (
    <div class="stack">
      <RangeChoices since={since.value} onChange={(value) => (since.value = value)} />
      <Loaded query={query} what="the values over time">
        {(history) => <Plots history={history} plans={nodePlans} />}
      </Loaded>
      <EqualCalls operation="metrics.queryNode" input={{ nodeId, since: since.value }} />
    </div>
  )
}

const RangeChoices = ({ since, onChange }: { since: string; onChange: (since: string) => void }) => (
  <Choices label="Range of the plots" choices={ranges} value={since} onChange={onChange} />
)

function Plots({ history, plans }: { history: History; plans: readonly PlotPlan[] }) {
  const { marks } = history
  const lines = useMemo(
    () => marks.map(({ at, kind }) => ({ at: Date.parse(at) / 1000, colour: colours[kind] })),
    [marks],
  )
  if (history.series.length === 0)
    return <p class="hint">Berth has measured nothing in this time. It measures every minute what runs.</p>
  return (
    <>
      <div class="grid plots">
        {plans.map((plan) => (
          <PlotCard key={plan.title} plan={plan} history={history} marks={lines} />
        ))}
      </div>
      <Marks marks={marks} />
    </>
  )
}

interface CardProps {
  plan: PlotPlan
  history: History
  marks: { at: number; colour: string }[]
}

function PlotCard({ plan: { title, metrics }, history, marks }: CardProps) {
  const found = useMemo(
    () =>
      metrics.flatMap((metric) => history.series.find((series): series is Series => series.metric === metric) ?? []),
    [history, metrics],
  )
  const lines = useMemo(
    () =>
      found.map((series, i) => ({
        name: seriesNames[series.metric] ?? title,
        values: i === 0 ? drawnValues(series) : series.mean,
      })),
    [found],
  )
  const times = useMemo(() => (found[0] === undefined ? [] : timesOf(history, found[0])), [found])
  const [first, second] = found
  if (first === undefined) return null
  const summary = summaryOf(first)
  return (
    <figure class="card">
      <figcaption>
        <h3>{title}</h3>
        <p class="hint">
          {summary}
          {second !== undefined &&
            `, ${seriesNames[second.metric]} ${valueText(second.mean.findLast(isKnown) ?? 0, second.unit)}`}
        </p>
      </figcaption>
      <Plot
        label={`${title}: ${summary}`}
        times={times}
        lines={lines}
        marks={marks}
        text={(value) => valueText(value, first.unit)}
        steps={axisSteps[first.unit]}
      />
    </figure>
  )
}

const isKnown = (value: number | null): value is number => value !== null

/** Names of colours in tokens.css. */
const colours: Record<Mark['kind'], string> = {
  deployment: 'working',
  restart: 'warning',
  backup: 'good',
  condition: 'critical',
}
const words: Record<Mark['kind'], string> = {
  deployment: 'Deployment',
  restart: 'Restart by Berth',
  backup: 'Backup',
  condition: 'Condition',
}

/** What the vertical lines in the plots mean. */
function Marks({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null
  return (
    <details>
      <summary>
        {marks.length === 1 ? 'One event, a line in the plots' : `${marks.length} events, lines in the plots`}
      </summary>
      <ul class="plain">
        {marks.toReversed().map(({ kind, name, at, state }) => (
          <li key={kind + at + name}>
            <span class={`mark ${kind}`} aria-hidden="true" /> <Time at={at} /> {words[kind]}: {name}, {state}
          </li>
        ))}
      </ul>
    </details>
  )
}
