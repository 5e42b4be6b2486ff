/** Who can connect to the external port of a database: the list, and what the gateway enforces of it. */
import { Link } from 'wouter-preact'
import { EnforcedSourcesPanel, SourcesState } from '../../../components/sources/enforced-sources.tsx'
import { SourcesForm } from '../../../components/sources/sources-form.tsx'
import { useRights } from '../../../data/access/rights.ts'
import { presentValues } from '../../../data/forms/form.ts'
import { useRecordForm } from '../../../data/forms/record-form.ts'
import {
  listOrProject,
  type SourceValues,
  sourceLabels,
  sourceValues,
  sourceWords,
} from '../../../data/forms/sources.ts'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import { readDatabase, type TabProps } from '../view.ts'

export function AllowedSources({ kind, databaseId, record, etag, path }: TabProps) {
  const { sources, externalPort, projectId } = record
  const form = useRecordForm<SourceValues>(
    { values: sourceValues(record.allowedSources), etag: etag.value ?? '' },
    async () => {
      const present = await readDatabase(kind, databaseId)
      return { values: sourceValues(present.record.allowedSources), etag: present.etag }
    },
  )
  const allowedSources = listOrProject(presentValues(form))
  const options = sourceWords(allowedSources).map((word) => `--allow-from ${word}`)
  return (
    <section class="card" aria-labelledby="sources">
      <div class="card-head">
        <h2 id="sources">Who can connect</h2>
        <SourcesState sources={sources} isPortOpen={externalPort !== null} />
      </div>
      <EnforcedSourcesPanel sources={sources} isPortOpen={externalPort !== null} />
      <p class="hint">
        A list applies to the external port only, within 2 seconds and without a restart. Connections of sources that
        are not on it are closed.{' '}
        {projectId !== null && <Link href={`/projects/${projectId}`}>The list of the project</Link>}
      </p>
      <SourcesForm
        form={form}
        labels={sourceLabels}
        choices={['project', 'everyone', 'listed']}
        why={useRights().whyNot(projectId, 'owner')}
        save={(values, headers) =>
          callDatabase(kind, 'update', databaseId, { allowedSources: listOrProject(values) }, headers)
        }
        operation={`${kind}.update`}
        input={{ ...idInput(kind, databaseId), allowedSources }}
        command={`berth set ${path} ${options.join(' ')}`}
      />
    </section>
  )
}
