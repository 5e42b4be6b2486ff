/** The manifest of a dump: what it contains. Berth has it in its store, so it is there while the storage is down. */
import { Loaded } from '../../../../components/loaded.tsx'
import { Table } from '../../../../components/table.tsx'
import { countText, numberText } from '../../../../data/format.ts'
import { useQuery } from '../../../../data/live/query.ts'

export function Manifest({ runId }: { runId: string }) {
  const manifest = useQuery('backup.manifest', { runId }, { kinds: [] })
  return (
    <Loaded query={manifest} what="the manifest">
      {({ image, serverVersion, encryptedFor, roles, tables, tableCount, rowCount, objects }) => (
        <div class="stack">
          <dl class="facts">
            <dt>Dumped from</dt>
            <dd>
              <code>{image}</code>
              {serverVersion !== null && `, version ${serverVersion}`}
            </dd>
            <dt>Encrypted for</dt>
            <dd>{encryptedFor === null ? 'nobody' : <code>{encryptedFor}</code>}</dd>
            <dt>Roles</dt>
            <dd>{roles === null || roles.length === 0 ? 'none' : roles.join(', ')}</dd>
            <dt>Content</dt>
            <dd>
              {countText(tableCount, 'table')} with {countText(rowCount, 'row')}
              {objects.length > 0 &&
                `, and ${countText(objects.length, 'other kind of object', 'other kinds of objects')}`}
            </dd>
          </dl>
          {tables.length > 0 && <Counts caption="Tables" countTitle="Rows" rows={tables} />}
          {tables.length < tableCount && <p class="hint">Only the {numberText(tables.length)} largest are listed.</p>}
          {objects.length > 0 && <Counts caption="Other objects" countTitle="Number" rows={objects} />}
        </div>
      )}
    </Loaded>
  )
}

interface CountsProps {
  caption: string
  countTitle: string
  rows: readonly { name: string; rows: number; checksum: string }[]
}

const Counts = ({ caption, countTitle, rows }: CountsProps) => (
  <Table
    caption={caption}
    rows={rows}
    rowKey={({ name }) => name}
    columns={[
      { title: caption, cell: ({ name }) => <code>{name}</code> },
      { title: countTitle, cell: ({ rows: count }) => numberText(count), isNumber: true },
      { title: 'Checksum', cell: ({ checksum }) => <code class="small">{checksum.slice(0, 16)}</code> },
    ]}
  />
)
