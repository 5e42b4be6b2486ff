/** Who can connect to the databases of a project that have no list of their own. */
import type { Project } from '../../../client/client.ts'
import { SourcesForm } from '../../components/sources/sources-form.tsx'
import { State } from '../../components/state.tsx'
import { api } from '../../data/api.ts'
import { countText } from '../../data/format.ts'
import { presentValues } from '../../data/forms/form.ts'
import { readTagged } from '../../data/forms/read-tagged.ts'
import { useRecordForm } from '../../data/forms/record-form.ts'
import { listOf, sourceLabels, sourceValues, sourceWords } from '../../data/forms/sources.ts'
import { shellWord } from '../../data/forms/shell-word.ts'

/** An update needs the name, too. As a value of the form, the name that another person gives is not written over. */
const valuesOf = ({ name, allowedSources }: Project) => ({ ...sourceValues(allowedSources), name })

/** @param why why the person cannot change the list; null: the person can */
export function ProjectSources({ project, etag, why }: { project: Project; etag: string; why: string | null }) {
  const { projectId, allowedSources: present } = project
  const form = useRecordForm({ values: valuesOf(project), etag }, async () => {
    const { record, etag } = await readTagged((options) => api.project.one({ projectId }, options))
    return { values: valuesOf(record), etag }
  })
  const values = presentValues(form)
  const allowedSources = listOf(values)
  return (
    <section class="card" aria-labelledby="sources">
      <div class="card-head">
        <h2 id="sources">Who can connect</h2>
        {present.length === 0 ? (
          <State tone="warning">open to everyone</State>
        ) : (
          <State tone="good">{countText(present.length, 'source')}</State>
        )}
      </div>
      <p>
        The list applies to the external ports of those databases of the project that have no list of their own. A
        database says under Connect which list it has, and whether it is enforced.
      </p>
      <SourcesForm
        form={form}
        labels={{ ...sourceLabels, name: 'Name' }}
        choices={['everyone', 'listed']}
        why={why}
        save={(saved, headers) =>
          api.project.update({ projectId, name: saved.name, allowedSources: listOf(saved) }, { headers })
        }
        operation="project.update"
        input={{ projectId, name: values.name, allowedSources }}
        command={`berth project allow ${shellWord(values.name)} ${sourceWords(allowedSources).join(' ')}`}
      />
    </section>
  )
}
