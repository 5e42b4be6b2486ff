/** Chooses projects, each with a role. */
import type { Signal } from '@preact/signals'
import { useProjects } from '../../data/lists/projects.ts'
import { projectRoleChoices } from '../../data/access/rights.ts'
import type { ProjectRole } from '../../data/access/role.ts'
import { Loaded } from '../loaded.tsx'

export interface Membership {
  projectId: string
  role: ProjectRole
}

interface Props {
  field: Signal<readonly Membership[]>
  /** What Berth found wrong. */
  issue?: string | undefined
}

export function ProjectRoles({ field, issue }: Props) {
  const projects = useProjects()
  const set = (projectId: string, role: string) => {
    const others = field.value.filter((each) => each.projectId !== projectId)
    field.value = role === '' ? others : [...others, { projectId, role: role as ProjectRole }]
  }
  return (
    <fieldset class="field">
      <legend>Projects</legend>
      <Loaded query={projects} what="the projects">
        {(rows) => (
          <div class="stack">
            {rows.map(({ projectId, name }) => (
              <label key={projectId} class="row">
                <select
                  class="input"
                  value={field.value.find((each) => each.projectId === projectId)?.role ?? ''}
                  onChange={(event) => set(projectId, event.currentTarget.value)}
                >
                  <option value="">no access</option>
                  {projectRoleChoices.map(({ value, text }) => (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  ))}
                </select>{' '}
                {name}
              </label>
            ))}
          </div>
        )}
      </Loaded>
      {issue !== undefined && <div class="wrong">{issue}</div>}
    </fieldset>
  )
}
