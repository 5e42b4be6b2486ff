/** All databases. The search and the filters are in the URL, so that a link shows the same. */
import { computed, type ReadonlySignal, type Signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Database } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { SimilarNames } from './similar-names.tsx'
import { DatabaseList } from '../../components/lists/database-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { NewDatabaseButton } from '../../components/access/role-button.tsx'
import { comparison, isShown, orders, stateChoices, wordsOf } from '../../data/lists/database-filter.ts'
import { useDatabases } from '../../data/lists/databases.ts'
import { countText, numberText } from '../../data/format.ts'
import { kindLabels } from '../../data/kinds.ts'
import { useUrlFields } from '../../data/lists/url-fields.ts'
import { FilterSelect, SearchInput } from '../../components/lists/filters.tsx'

type Rows = Signal<Database>[]
const names = ['search', 'kind', 'state', 'node', 'project', 'sort'] as const
type Fields = Record<(typeof names)[number], Signal<string>>

export default function Databases() {
  const { rows, error, reload } = useDatabases()
  return (
    <Page title="Databases" actions={<NewDatabaseButton kind="primary" />}>
      <Loaded query={{ data: rows, error, reload }} what="the databases">
        {(loaded) => (loaded.length === 0 ? <NoDatabases /> : <Filtered rows={rows as ReadonlySignal<Rows>} />)}
      </Loaded>
    </Page>
  )
}

const NoDatabases = () => (
  <Empty title="No databases yet" action={<NewDatabaseButton kind="primary" />}>
    Berth runs PostgreSQL, MySQL, MariaDB, MongoDB and Redis in containers, watches them and backs them up.
  </Empty>
)

function Filtered({ rows }: { rows: ReadonlySignal<Rows> }) {
  const fields = useUrlFields(names)
  const shown = useMemo(() => shownRows(rows, fields), [])
  return (
    <>
      <Filters rows={rows} fields={fields} />
      <Count shown={shown} rows={rows} fields={fields} />
      <List shown={shown} />
    </>
  )
}

/** The same array as before if an event has changed neither the rows nor their order. */
function shownRows(rows: ReadonlySignal<Rows>, fields: Fields): ReadonlySignal<Rows> {
  let before: Rows = []
  return computed(() => {
    const filter = Object.fromEntries(names.map((name) => [name, fields[name].value])) as Record<keyof Fields, string>
    const words = wordsOf(filter.search)
    const found = rows.value.filter((row) => isShown(row.value, filter, words))
    const compare = comparison(filter.sort)
    if (compare !== null) found.sort((a, b) => compare(a.peek(), b.peek()))
    const isSame = found.length === before.length && found.every((row, at) => row === before[at])
    if (!isSame) before = found
    return before
  })
}

function List({ shown }: { shown: ReadonlySignal<Rows> }) {
  return shown.value.length === 0 ? null : <DatabaseList label="Databases" rows={shown.value} />
}

function Filters({ rows, fields }: { rows: ReadonlySignal<Rows>; fields: Fields }) {
  const choices = useMemo(() => ({ nodes: nodeChoices(rows), projects: projectChoices(rows) }), [])
  return (
    <search class="tools">
      <SearchInput field={fields.search} label="Search by project, name, image or node" />
      <FilterSelect field={fields.state} label="State" none="all" choices={Object.entries(stateChoices)} />
      <FilterSelect field={fields.kind} label="Kind" none="all" choices={Object.entries(kindLabels)} />
      <FilterSelect field={fields.project} label="Project" none="all" choices={JSON.parse(choices.projects.value)} />
      <FilterSelect field={fields.node} label="Node" none="all" choices={JSON.parse(choices.nodes.value)} />
      <FilterSelect field={fields.sort} label="Sorted by" none={orders['']} choices={orderChoices} />
    </search>
  )
}

const orderChoices = Object.entries(orders).filter(([value]) => value !== '')

/** As text, so that a component is drawn anew only if the choices have changed. */
const nodeChoices = (rows: ReadonlySignal<Rows>) =>
  computed(() => {
    const found = new Set(rows.value.map((row) => row.value.node).filter((node) => node !== null))
    return JSON.stringify([...found].sort().map((node) => [node, node]))
  })

const projectChoices = (rows: ReadonlySignal<Rows>) =>
  computed(() => JSON.stringify([...new Map(rows.value.map(({ value }) => [value.projectId, value.projectName]))]))

function Count({ shown, rows, fields }: { shown: ReadonlySignal<Rows>; rows: ReadonlySignal<Rows>; fields: Fields }) {
  const [count, all] = [shown.value.length, rows.value.length]
  const isFiltered = names.some((name) => name !== 'sort' && fields[name].value !== '')
  const clear = () => {
    for (const name of names) if (name !== 'sort') fields[name].value = ''
  }
  return (
    <div class="buttons">
      <p role="status">
        {count === 0 && 'No database matches. '}
        {isFiltered ? `${numberText(count)} of ${countText(all, 'database')}` : countText(all, 'database')}
      </p>
      {isFiltered && (
        <Button small onClick={clear}>
          Show all
        </Button>
      )}
      {count === 0 && fields.search.value !== '' && (
        <SimilarNames key={fields.search.value} name={fields.search.value.trim()} />
      )}
    </div>
  )
}
