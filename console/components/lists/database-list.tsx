/** Databases as a list. Each row follows the signal of its database, so that an event draws one row anew. */
import type { Signal } from '@preact/signals'
import { Link } from 'wouter-preact'
import type { Database } from '../../../client/client.ts'
import { kindLabels } from '../../data/kinds.ts'
import { databasePath } from '../../routes.ts'
import { databaseState } from '../../data/database-state.ts'
import { DatabaseStatus } from '../state.tsx'
import { VirtualList } from './virtual-list.tsx'

type Row = Signal<Database>

const titles = ['State', 'Database', 'Host name', 'Kind', 'Image', 'Node', 'Note']
const keyOf = (row: Row) => row.peek().databaseId
const cellsOf = (row: Row) => <Cells row={row} />

export const DatabaseList = ({ label, rows }: { label: string; rows: readonly Row[] }) => (
  <VirtualList label={label} rows={rows} rowKey={keyOf} cells={cellsOf} titles={titles} />
)

function Cells({ row }: { row: Row }) {
  const database = row.value
  const { databaseId, projectName, name, appName, databaseType, dockerImage, node } = database
  const note = noteOf(database)
  return (
    <>
      <td class="db-state">
        <DatabaseStatus state={databaseState(database)} />
      </td>
      <td class="db-name" title={`${projectName}/${name}`}>
        <Link href={databasePath(databaseId)} aria-label={`${projectName}/${name}`}>
          <span class="db-project">{projectName}</span>
          <span class="muted">/</span>
          <span>{name}</span>
        </Link>
      </td>
      <td class="db-app" title={appName}>
        {appName}
      </td>
      <td class="db-kind">{kindLabels[databaseType]}</td>
      <td class="db-image mono" title={dockerImage}>
        {dockerImage}
      </td>
      <td class="db-node" title={node ?? 'No volume yet'}>
        {node ?? '–'}
      </td>
      <td class="db-note" title={note}>
        {note}
      </td>
    </>
  )
}

/** Why the database has its state, or what waits. */
function noteOf({ statusReason, pendingChanges, externalPort }: Database): string {
  if (statusReason !== null) return statusReason
  if (pendingChanges) return 'Changes wait for a deploy'
  return externalPort === null ? '' : `Port ${externalPort}`
}
