/** Removes a project with all databases that it contains. */
import type { Project } from '../../../client/client.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { api } from '../../data/api.ts'
import { useDatabases } from '../../data/lists/databases.ts'
import { countText } from '../../data/format.ts'
import { shellLine } from '../../../shared/shell-word.ts'

interface Props {
  project: Project
  onClose: () => void
  onDone: () => void
}

const maxNames = 12

export function RemoveDialog({ project: { projectId, name }, onClose, onDone }: Props) {
  const rows = useDatabases().rows.value ?? []
  const own = rows.filter((row) => row.value.projectId === projectId).map(({ value }) => value)
  const input = { projectId, ...(own.length > 0 ? { cascade: true } : {}) }
  const remove = async () => {
    await api.project.remove(input)
    onDone()
  }
  return (
    <ConfirmDialog
      title={`Remove the project ${name}`}
      action={own.length === 0 ? 'Remove the project' : `Remove the project and ${countText(own.length, 'database')}`}
      phrase={name}
      onClose={onClose}
      run={remove}
    >
      {own.length === 0 ? (
        <p>The project has no databases. Nothing else is removed.</p>
      ) : (
        <>
          <p>
            <strong>{countText(own.length, 'database')}</strong> of the project {own.length === 1 ? 'is' : 'are'}{' '}
            stopped and removed, with {own.length === 1 ? 'its' : 'their'} schedules of backups:
          </p>
          <ul class="bullets">
            {own.slice(0, maxNames).map((database) => (
              <li key={database.databaseId}>
                {database.name} <span class="muted">({database.appName})</span>
              </li>
            ))}
            {own.length > maxNames && <li>and {own.length - maxNames} more</li>}
          </ul>
          <p>
            Berth keeps their volumes: each database can be restored from its volume under Volumes. Dumps in the
            destinations stay.
          </p>
        </>
      )}
      <EqualCalls
        operation="project.remove"
        input={input}
        command={shellLine`berth project rm ${name}${own.length > 0 ? ['--with-databases'] : []}`}
      />
    </ConfirmDialog>
  )
}
