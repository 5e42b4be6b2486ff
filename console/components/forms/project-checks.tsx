/** Chooses the projects that a token reaches. */
import type { Signal } from '@preact/signals'
import { Loaded } from '../loaded.tsx'
import { useProjects } from '../../data/lists/projects.ts'

export function ProjectChecks({ field }: { field: Signal<readonly string[]> }) {
  const toggle = (projectId: string, isChosen: boolean) => {
    const others = field.value.filter((each) => each !== projectId)
    field.value = isChosen ? [...others, projectId] : others
  }
  return (
    <fieldset class="field">
      <legend>Projects</legend>
      <Loaded query={useProjects()} what="the projects">
        {(rows) => (
          <div class="stack">
            {rows.map(({ projectId, name }) => (
              <label key={projectId}>
                <input
                  type="checkbox"
                  checked={field.value.includes(projectId)}
                  onChange={(event) => toggle(projectId, event.currentTarget.checked)}
                />{' '}
                {name}
              </label>
            ))}
          </div>
        )}
      </Loaded>
    </fieldset>
  )
}
