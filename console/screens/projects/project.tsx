/** One project: its databases, its name and description, and its removal. */
import { computed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { Project as ProjectRecord } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { DatabaseList } from '../../components/lists/database-list.tsx'
import { NewDatabaseButton } from '../../components/access/role-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { useDatabases } from '../../data/lists/databases.ts'
import { countText } from '../../data/format.ts'
import { useQuery } from '../../data/live/query.ts'
import type { Parameters } from '../../lazy.tsx'
import { useRights } from '../../data/access/rights.ts'
import { EditDialog } from './edit-dialog.tsx'
import { Members } from './members.tsx'
import { ProjectSources } from './project-sources.tsx'
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
  const why = useRights().whyNot(projectId, 'owner')
  return (
    <Page
      title={name}
      within="Projects"
      sub={description ?? ''}
      actions={
        <>
          <NewDatabaseButton projectId={projectId} kind="primary" />
          <Button unavailable={why} onClick={() => (open.value = 'edit')}>
            Rename or describe
          </Button>
          <Button kind="danger" unavailable={why} onClick={() => (open.value = 'remove')}>
            Remove the project
          </Button>
        </>
      }
    >
      <Databases projectId={projectId} />
      <ProjectSources project={project} etag={etag} why={why} />
      <Members project={project} why={why} />
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
            action={<NewDatabaseButton projectId={projectId}>Create one</NewDatabaseButton>}
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
