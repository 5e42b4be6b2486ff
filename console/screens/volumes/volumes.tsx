/** Volumes: the data of databases on the disks of the nodes, in use and kept after a removal. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import type { Volume } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { State } from '../../components/state.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { isAdmin } from '../../data/session.ts'
import { useQuery } from '../../data/live/query.ts'
import { databasePath } from '../../routes.ts'
import { contentText } from './content-text.ts'
import { AdoptVolume } from './adopt-volume.tsx'
import { RemoveVolume } from './remove-volume.tsx'
import { RestoreVolume } from './restore-volume.tsx'

type Opened = { volumeId: string; action: 'restore' | 'remove' } | { action: 'adopt' }

export default function Volumes() {
  const volumes = useQuery('volume.all', {})
  const opened = useSignal<Opened | null>(null)
  // The call that removes a volume is answered before the volume is gone; the dialog closes, and the list goes on.
  const present = opened.value
  const volume =
    present === null || present.action === 'adopt'
      ? undefined
      : volumes.data.value?.find(({ volumeId }) => volumeId === present.volumeId)
  const close = () => (opened.value = null)
  return (
    <Page
      title="Volumes"
      sub="A volume is a folder on the disk of one node that holds the data of one database. It never moves by itself."
      actions={
        <Button
          unavailable={isAdmin() ? null : 'Only administrators can copy volumes of other systems'}
          onClick={() => (opened.value = { action: 'adopt' })}
        >
          Copy a volume of another system
        </Button>
      }
    >
      <Loaded query={volumes} what="the volumes">
        {(all) => (
          <>
            <Kept volumes={all.filter(({ state }) => state !== 'attached')} onOpen={(next) => (opened.value = next)} />
            <Attached volumes={all.filter(({ state }) => state === 'attached')} />
          </>
        )}
      </Loaded>
      {present?.action === 'adopt' && <AdoptVolume onClose={close} />}
      {volume !== undefined && present?.action === 'restore' && <RestoreVolume volume={volume} onClose={close} />}
      {volume !== undefined && present?.action === 'remove' && <RemoveVolume volume={volume} onClose={close} />}
    </Page>
  )
}

const common: readonly Column<Volume>[] = [
  { title: 'Content', cell: contentText },
  { title: 'Node', cell: ({ node }) => node },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Docker volume', cell: ({ name }) => <code class="small">{name}</code> },
]

function Kept({ volumes, onOpen }: { volumes: Volume[]; onOpen: (opened: Opened) => void }) {
  return (
    <section class="stack">
      <h2>Kept after a removal</h2>
      {volumes.length === 0 ? (
        <Empty title="No volume is kept">
          When a database is removed, its volume can stay. It is listed here then, and a new database can be created on
          it.
        </Empty>
      ) : (
        <>
          <Notice>
            <p>
              Kept volumes use disk space until you remove them. Berth does not know their size; on the node,{' '}
              <code>docker system df -v</code> shows it.
            </p>
          </Notice>
          <Table
            caption="Kept volumes"
            columns={[
              { title: 'Was the data of', cell: ({ appName }) => <strong>{appName}</strong> },
              { title: 'State', cell: (volume) => <KeptState volume={volume} /> },
              ...common,
            ]}
            rows={volumes}
            rowKey={({ volumeId }) => volumeId}
            actions={({ volumeId, kind, state }) => (
              <span class="buttons">
                {kind !== 'registry' && (
                  <Button
                    small
                    unavailable={state === 'removing' ? 'The volume is being removed' : null}
                    onClick={() => onOpen({ volumeId, action: 'restore' })}
                  >
                    Restore
                  </Button>
                )}
                <Button
                  small
                  kind="danger"
                  unavailable={state === 'removing' ? 'The volume is being removed' : null}
                  onClick={() => onOpen({ volumeId, action: 'remove' })}
                >
                  Remove
                </Button>
              </span>
            )}
          />
        </>
      )}
    </section>
  )
}

function KeptState({ volume: { state, keptAt } }: { volume: Volume }) {
  if (state === 'removing') return <State tone="working">being removed</State>
  return <>kept {keptAt !== null && <Time at={keptAt} />}</>
}

function Attached({ volumes }: { volumes: Volume[] }) {
  return (
    <section class="stack">
      <h2>In use</h2>
      {volumes.length === 0 ? (
        <Empty title="No volume is in use">A volume is created when a database is deployed for the first time.</Empty>
      ) : (
        <Table
          caption="Volumes in use"
          columns={[{ title: 'Data of', cell: (volume) => <Owner volume={volume} /> }, ...common]}
          rows={volumes}
          rowKey={({ volumeId }) => volumeId}
        />
      )}
    </section>
  )
}

function Owner({ volume: { databaseId, appName, kind } }: { volume: Volume }) {
  if (databaseId !== null) return <Link href={databasePath(databaseId)}>{appName}</Link>
  return kind === 'registry' ? <Link href="/registries">Berth's own registry</Link> : appName
}
