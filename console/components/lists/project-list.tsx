/** Projects with the states of their databases. */
import { computed, type ReadonlySignal, type Signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { Database, Project } from '../../../client/client.ts'
import { stateCounts } from '../../data/lists/database-filter.ts'
import { countText } from '../../data/format.ts'
import { DatabaseStatus } from '../state.tsx'

type Rows = ReadonlySignal<Signal<Database>[] | undefined>

export function ProjectList({ projects, rows }: { projects: readonly Project[]; rows: Rows }) {
  const byProject = useMemo(() => countsByProject(rows), [rows])
  return (
    <ul class="grid">
      {projects.map((project) => (
        <ProjectCard key={project.projectId} project={project} byProject={byProject} />
      ))}
    </ul>
  )
}

type Counts = ReturnType<typeof stateCounts>

/** One walk through all databases serves all projects. */
function countsByProject(rows: Rows): ReadonlySignal<Map<string, string>> {
  return computed(() => {
    const databases = rows.value?.map((row) => row.value) ?? []
    const groups = Map.groupBy(databases, ({ projectId }) => projectId)
    return new Map([...groups].map(([projectId, members]) => [projectId, JSON.stringify(stateCounts(members))]))
  })
}

interface CardProps {
  project: Project
  byProject: ReadonlySignal<Map<string, string>>
}

function ProjectCard({ project: { projectId, name, description }, byProject }: CardProps) {
  // A card is drawn anew only if its own counts have changed.
  const own = useMemo(() => computed(() => byProject.value.get(projectId) ?? '[]'), [byProject])
  const counts = JSON.parse(own.value) as Counts
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  return (
    <li class="card">
      <Link href={`/projects/${projectId}`} class="project-name">
        {name}
      </Link>
      {description !== null && description !== '' && <p class="muted">{description}</p>}
      <div class="buttons">
        {all === 0 && <span class="muted">no databases</span>}
        {counts.map(({ state, count }) => (
          <Link
            key={state}
            class="plain-link"
            href={`/databases?project=${projectId}&state=${state}`}
            title={`${countText(count, 'database')} ${state}`}
          >
            {count} <DatabaseStatus state={state} />
          </Link>
        ))}
      </div>
    </li>
  )
}
