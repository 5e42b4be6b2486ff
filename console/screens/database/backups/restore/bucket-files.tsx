/** The objects in the bucket, read on demand. Dumps that Berth has no run of can be restored from here. */
import { useSignal } from '@preact/signals'
import type { Destination } from '../../../../../client/client.ts'
import { Button } from '../../../../components/button.tsx'
import { Loaded } from '../../../../components/loaded.tsx'
import { SelectField, TextField } from '../../../../components/forms/fields.tsx'
import { Table } from '../../../../components/table.tsx'
import { TimeOr } from '../../../../components/time.tsx'
import { bytesText } from '../../../../data/format.ts'
import { useQuery } from '../../../../data/live/query.ts'
import type { Source } from './values.ts'

interface Props {
  destinationId: string | null
  prefix: string
  /** The keys of dumps that Berth has a run of. */
  known: ReadonlySet<string>
  onRestore: (source: Source) => void
}

export function BucketFiles(props: Props) {
  const destinations = useQuery('destination.all', {}).data.value ?? []
  return destinations.length === 0 ? null : <FilesCard {...props} destinations={destinations} />
}

function FilesCard({ destinationId, prefix, known, onRestore, destinations }: Props & { destinations: Destination[] }) {
  const chosen = useSignal(destinationId ?? destinations[0]!.destinationId)
  const typed = useSignal(prefix)
  const asked = useSignal<{ destinationId: string; prefix: string } | null>(null)
  const read = () => {
    asked.value = { destinationId: chosen.value, prefix: typed.value.trim() }
  }
  return (
    <section class="card">
      <h2>Files in the bucket</h2>
      <p class="muted">
        Each dump has a manifest beside it, so Berth can restore dumps that it has no run of: those of another Berth, of
        a removed backup or a removed database.
      </p>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault()
          read()
        }}
      >
        <SelectField
          field={chosen}
          label="Destination"
          choices={destinations.map(({ destinationId: value, name }) => ({ value, text: name }))}
        />
        <TextField field={typed} label="Keys that begin with" isCode required={false} />
        <Button type="submit">List the files</Button>
      </form>
      {asked.value !== null && (
        <FileList key={JSON.stringify(asked.value)} {...asked.value} known={known} onRestore={onRestore} />
      )}
    </section>
  )
}

function FileList({
  destinationId,
  prefix,
  known,
  onRestore,
}: Omit<Props, 'destinationId'> & { destinationId: string }) {
  const files = useQuery('backup.files', { destinationId, prefix }, { kinds: [] })
  return (
    <Loaded query={files} what="the files">
      {(all) => {
        const dumps = all.filter(({ key }) => !key.endsWith('.json'))
        const manifests = new Set(all.map(({ key }) => key))
        if (dumps.length === 0) return <p class="muted">The bucket has no such file.</p>
        return (
          <Table
            caption="Files in the bucket"
            rows={dumps}
            rowKey={({ key }) => key}
            columns={[
              { title: 'Key', cell: ({ key }) => <code>{key}</code> },
              { title: 'Size', cell: ({ sizeBytes }) => bytesText(sizeBytes), isNumber: true },
              { title: 'Written', cell: ({ modifiedAt }) => <TimeOr at={modifiedAt} none="unknown" /> },
              { title: 'Known', cell: ({ key }) => (known.has(key) ? 'has a run above' : 'no run') },
            ]}
            actions={({ key }) => (
              <Button
                small
                unavailable={manifests.has(`${key}.json`) ? null : 'There is no manifest beside this file'}
                onClick={() => onRestore({ destinationId, key })}
              >
                Restore
              </Button>
            )}
          />
        )
      }}
    </Loaded>
  )
}
