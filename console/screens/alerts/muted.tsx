/** What no messages are sent about for some time. */
import { UnmuteButton } from '../../components/alerts/mute.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { conditionTitles, subjectText } from '../../data/alerts/conditions.ts'
import type { Mute } from '../../data/alerts/mutes.ts'
import { useDatabases } from '../../data/lists/databases.ts'
import { useQuery } from '../../data/live/query.ts'

export function Muted() {
  const mutes = useQuery('alert.mutes', {})
  const nameOf = useNames()
  return (
    <Loaded query={mutes} what="what is muted">
      {(list) =>
        list.length === 0 ? (
          <Empty title="Nothing is muted">
            A condition can be muted on the overview for some time, such as during planned work.
          </Empty>
        ) : (
          <Table
            caption="What is muted"
            rows={list}
            rowKey={({ muteId }) => muteId}
            columns={[
              { title: 'Record', cell: (mute) => <strong>{nameOf(mute)}</strong> },
              { title: 'Kind', cell: ({ subjectKind }) => subjectKind },
              {
                title: 'Condition',
                cell: ({ condition }) => (condition === null ? 'all' : conditionTitles[condition]),
              },
              { title: 'Messages again', cell: ({ until }) => <Time at={until} /> },
            ]}
            actions={(mute) => <UnmuteButton mute={mute} />}
          />
        )
      }
    </Loaded>
  )
}

/** The names of muted records: mutes have only the ids. */
function useNames(): (mute: Mute) => string {
  const databases = useDatabases().rows.value ?? []
  const nodes = useQuery('cluster.getNodes', {}).data.value ?? []
  const conditions = useQuery('condition.all', { state: 'all', order: 'desc', limit: 500 }).data.value ?? []
  return ({ subjectKind, subjectId }) => {
    const database = databases.find(({ value }) => value.databaseId === subjectId)?.value
    if (database !== undefined) return `${database.projectName}/${database.name}`
    const node = nodes.find(({ id }) => id === subjectId)
    if (node !== undefined) return node.hostname
    const known = conditions.find((each) => each.subjectKind === subjectKind && each.subjectId === subjectId)
    return known === undefined ? subjectId : subjectText(known)
  }
}
