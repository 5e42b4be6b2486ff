/** One project: its databases, its name and description, and its removal. */
import { computed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { Project as ProjectRecord } from '../../../client/client.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { DatabaseList } from '../../components/lists/database-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { useDatabases } from '../../data/lists/databases.ts'
import { countText } from '../../data/format.ts'
import { useQuery } from '../../data/live/query.ts'
import type { Parameters } from '../../lazy.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'

export default function Project({ projectId = '' }: Parameters) {
  const project = useQuery('project.one', { projectId }, { kinds: ['project'], recordId: projectId })
  // The same answer stays on the page after the project was removed elsewhere.
  return project.data.value === undefined ? (
    <Page title="Project">
      <Loaded query={project} what="the project">
        {() => null}
      </Loaded>
    </Page>
  ) : (
    <Loaded query={project} what="the project">
      {(record) => <ProjectPage project={record} etag={project.etag.value!} />}
    </Loaded>
  )
}

function ProjectPage({ project, etag }: { project: ProjectRecord; etag: string }) {
  const open = useSignal<'edit' | 'remove' | null>(null)
  const [, go] = useLocation()
  const { projectId, name, description } = project
  const close = () => (open.value = null)
  return (
    <Page
      title={name}
      within="Projects"
      sub={description ?? ''}
      actions={
        <>
          <LinkButton href={`/databases/new?project=${projectId}`} kind="primary">
            New database
          </LinkButton>
          <Button onClick={() => (open.value = 'edit')}>Rename or describe</Button>
          <Button kind="danger" onClick={() => (open.value = 'remove')}>
            Remove the project
          </Button>
        </>
      }
    >
      <Databases projectId={projectId} />
      {open.value === 'edit' && <EditDialog project={project} etag={etag} onClose={close} />}
      {open.value === 'remove' && <RemoveDialog project={project} onClose={close} onDone={() => go('/projects')} />}
    </Page>
  )
}

function Databases({ projectId }: { projectId: string }) {
  const databases = useDatabases()
  const own = useMemo(
    () => computed(() => databases.rows.value?.filter((row) => row.peek().projectId === projectId)),
    [projectId],
  )
  return (
    <Loaded query={{ ...databases, data: own }} what="the databases">
      {(rows) =>
        rows.length === 0 ? (
          <Empty
            title="No databases in this project"
            action={<LinkButton href={`/databases/new?project=${projectId}`}>Create one</LinkButton>}
          >
            A database is one server in a container with its own volume.
          </Empty>
        ) : (
          <>
            <p>{countText(rows.length, 'database')}</p>
            <DatabaseList label="Databases of the project" rows={rows} />
          </>
        )
      }
    </Loaded>
  )
}
