/** One database, with its tabs. */
import type { ComponentType } from 'preact'
import { useRef } from 'preact/hooks'
import { BerthError, type Database } from '../../../client/client.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Page } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useDatabases } from '../../data/lists/databases.ts'
import type { Parameters } from '../../lazy.tsx'
import { databasePath } from '../../routes.ts'
import { BackupsTab } from './backups/backups-tab.tsx'
import { ConnectTab } from './connect/connect-tab.tsx'
import { DangerTab } from './danger/danger-tab.tsx'
import { HeadLine, HeadNotices } from './head.tsx'
import { LogsTab } from './logs/logs-tab.tsx'
import { MetricsTab } from './metrics/metrics-tab.tsx'
import { GoneDatabase } from './removed.tsx'
import { SettingsTab } from './settings/settings-tab.tsx'
import { StateTab } from './state/state-tab.tsx'
import { type TabProps, useRecord } from './view.ts'

interface TabDeclaration {
  name: string
  text: string
  content: ComponentType<TabProps>
  /** The tab stays while another one is shown, so that its forms keep what was typed. */
  isKept?: boolean
}

/** The first one is shown without a name in the address. */
const tabs: readonly TabDeclaration[] = [
  { name: 'connect', text: 'Connect', content: ConnectTab, isKept: true },
  { name: 'state', text: 'State', content: StateTab },
  { name: 'logs', text: 'Logs', content: LogsTab },
  { name: 'metrics', text: 'Metrics', content: MetricsTab },
  { name: 'backups', text: 'Backups', content: BackupsTab, isKept: true },
  { name: 'settings', text: 'Settings', content: SettingsTab, isKept: true },
  { name: 'danger', text: 'Danger', content: DangerTab, isKept: true },
]

export default function DatabaseScreen({ databaseId = '', tab = 'connect' }: Parameters) {
  const { rows, error, reload } = useDatabases()
  const query = { data: rows, error, reload }
  const name = useRef<string | null>(null)
  if (rows.value === undefined) {
    return (
      <Page title="Database">
        <Loaded query={query} what="the database">
          {() => null}
        </Loaded>
      </Page>
    )
  }
  return (
    <Loaded query={query} what="the database">
      {(list) => {
        const row = list.find((each) => each.value.databaseId === databaseId)
        name.current = row?.value.name ?? name.current
        return row === undefined ? (
          <GoneDatabase databaseId={databaseId} name={name.current} />
        ) : (
          <DatabaseView database={row.value} tab={tab} />
        )
      }}
    </Loaded>
  )
}

function DatabaseView({ database, tab }: { database: Database; tab: string }) {
  const { databaseId, databaseType: kind } = database
  const query = useRecord(kind, databaseId)
  const present = tabs.find(({ name }) => name === tab) ?? tabs[0]!
  // The list tells of a removal a little later than the record.
  if (isNotFound(query.error.value)) return <GoneDatabase databaseId={databaseId} name={database.name} />
  const path = `${database.projectName}/${database.name}`
  return (
    <Page
      title={database.name}
      within={database.projectName}
      sub={<HeadLine database={database} record={query.data.value} />}
    >
      <Loaded query={query} what="the database">
        {(record) => {
          const props: TabProps = { kind, databaseId, record, etag: query.etag, path }
          return (
            <>
              <HeadNotices {...props} isReasonBelow={present.name === 'state'} />
              <Tabs
                label="Parts of the database"
                tabs={tabs.map(({ name, text }) => ({ href: databasePath(databaseId, name), text }))}
                current={databasePath(databaseId, present.name)}
              />
              <TabContents present={present.name} props={props} />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

const isNotFound = (error: unknown) => error instanceof BerthError && error.code === 'NOT_FOUND'

function TabContents({ present, props }: { present: string; props: TabProps }) {
  const visited = useRef(new Set<string>())
  visited.current.add(present)
  return (
    <>
      {tabs.map(({ name, content: Content, isKept = false }) =>
        name === present || (isKept && visited.current.has(name)) ? (
          <div key={name} class="tab-content" hidden={name !== present}>
            <Content {...props} />
          </div>
        ) : null,
      )}
    </>
  )
}
