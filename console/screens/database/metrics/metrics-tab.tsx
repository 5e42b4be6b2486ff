/** The tab Metrics of a database: what its container uses at this moment, and what it used before. */
import type { Stats } from '../../../../client/client.ts'
import { DatabaseHistory } from '../../../components/history/history.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Empty } from '../../../components/page.tsx'
import { Duration, Time } from '../../../components/time.tsx'
import { bytesText, exactText } from '../../../data/format.ts'
import { idInput } from '../../../data/kinds.ts'
import { type Query, useQuery } from '../../../data/live/query.ts'
import type { TabProps } from '../view.ts'
import { cpuMeter, type Meter, memoryMeter } from './meters.ts'

/** A measurement takes one to two seconds. */
const everyMs = 5000

export function MetricsTab(props: TabProps) {
  const { applicationStatus, containerState } = props.record
  const isRunning = applicationStatus !== 'idle' && containerState === 'running'
  return (
    <div class="stack">
      {isRunning ? <Present {...props} /> : <NothingNow isIdle={applicationStatus === 'idle'} />}
      <DatabaseHistory databaseId={props.databaseId} />
    </div>
  )
}

const NothingNow = ({ isIdle }: { isIdle: boolean }) => (
  <Empty title="Nothing to measure now">
    {isIdle
      ? 'The database is stopped or was never deployed. The values appear when its container runs.'
      : 'The container does not run at the moment. The values appear when it does.'}
  </Empty>
)

function Present({ kind, databaseId, record }: TabProps) {
  const query = useQuery(`${kind}.stats` as 'postgres.stats', idInput(kind, databaseId) as never, {
    kinds: [],
    everyMs,
  }) as Query<Stats>
  return (
    <Loaded query={query} what="the present use (takes two seconds)">
      {(stats) => (
        <>
          <div class="grid meters">
            <MeterCard title="Processor" meter={cpuMeter(stats.cpuCores, record.cpuLimit)} />
            <MeterCard title="Memory" meter={memoryMeter(stats.memoryBytes, stats.memoryLimitBytes)} />
            <section class="card">
              <h2>Disk</h2>
              <p class="value-large">{stats.volumeBytes === null ? 'not counted' : bytesText(stats.volumeBytes)}</p>
              <p class="hint">
                {stats.volumeBytes === null
                  ? 'There are too many files on the volume to count them in time.'
                  : 'The files on the volume. The volume has no limit of its own: the disk of the node is the limit.'}
              </p>
            </section>
            <section class="card">
              <h2>Running for</h2>
              <p class="value-large">
                <Duration from={stats.startedAt} to={null} />
              </p>
              <p class="hint">
                The container started <Time at={stats.startedAt} />.
              </p>
            </section>
          </div>
          <p class="hint">
            Measured on {exactText(Date.parse(stats.at))}, over one second. The values are measured again every few
            seconds while this page is visible.
          </p>
        </>
      )}
    </Loaded>
  )
}

const MeterCard = ({ title, meter: { value, detail, part } }: { title: string; meter: Meter }) => (
  <section class="card">
    <h2>{title}</h2>
    <p class="value-large">{value}</p>
    {part !== null && (
      <meter aria-label={`${title}: part of the limit`} min={0} max={1} low={0.8} high={0.95} optimum={0} value={part}>
        {detail}
      </meter>
    )}
    <p class="hint">{detail}</p>
  </section>
)
