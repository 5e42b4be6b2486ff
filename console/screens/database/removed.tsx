/** A database that is being removed or was removed, and an address without a database. */
import { LinkButton } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { Progress } from '../../components/progress.tsx'
import { ReasonText } from '../../components/reason-text.tsx'
import { useElapsed } from '../../components/time.tsx'
import type { Deployment } from '../../data/lists/work.ts'
import { useQuery } from '../../data/live/query.ts'
import { useDeployments } from './view.ts'
import { phaseText } from './work-words.ts'

interface Props {
  databaseId: string
  /** The name that the page has shown; null: the database was gone before. */
  name: string | null
}

/** From the begin of a removal on, Berth answers no call for the database. Its work is still listed. */
export function GoneDatabase({ databaseId, name }: Props) {
  const query = useDeployments(databaseId, 1)
  const [work] = query.data.value ?? []
  if (query.data.value === undefined) {
    return (
      <Page title={name ?? 'Database'}>
        <Loaded query={query} what="the database">
          {() => null}
        </Loaded>
      </Page>
    )
  }
  if (work?.action !== 'remove') return <NoSuchDatabase />
  const known = name ?? work.appName ?? 'The database'
  return work.state === 'running' ? <Removing name={known} work={work} /> : <Removed name={known} work={work} />
}

const AllDatabases = () => <LinkButton href="/databases">All databases</LinkButton>

const NoSuchDatabase = () => (
  <Page title="There is no such database">
    <Empty title="It was removed, or the address is wrong" action={<AllDatabases />}>
      The volume of a removed database is kept unless its data was deleted, too. See Volumes.
    </Empty>
  </Page>
)

interface WorkProps {
  name: string
  work: Deployment
}

function Removing({ name, work }: WorkProps) {
  const elapsed = useElapsed(work.startedAt)
  return (
    <Page title={`${name} is being removed`}>
      <Notice tone="working">
        <Progress
          phase={phaseText(work, { containerState: null, statusCode: null })}
          part={null}
          {...(elapsed === null ? {} : { detail: `for ${elapsed}` })}
        />
        {work.reason !== null && <ReasonText text={work.reason} />}
        <p>The removal goes on when this page is closed.</p>
      </Notice>
      <div class="buttons">
        <AllDatabases />
      </div>
    </Page>
  )
}

function Removed({ name, work }: WorkProps) {
  const volumes = useQuery('volume.all', {}).data.value ?? []
  const kept = volumes.find(({ state, appName }) => state === 'kept' && appName === work.appName)
  return (
    <Page title={`${name} was removed`}>
      <Notice tone={work.state === 'done' ? 'good' : 'warning'} announce>
        <p>
          <strong>This database was removed.</strong> Its server is gone, and its host name is free.
        </p>
        {work.reason !== null && <ReasonText text={work.reason} />}
        {kept !== undefined && (
          <p>
            Its volume <code>{kept.name}</code> was kept with all data, and can become a database again under Volumes.
          </p>
        )}
      </Notice>
      <div class="buttons">
        <AllDatabases />
        {kept !== undefined && <LinkButton href="/volumes">Volumes</LinkButton>}
      </div>
    </Page>
  )
}
