/** The buckets and folders that dumps are uploaded to. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import type { Backup, Destination } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { TimeOr } from '../../components/time.tsx'
import { dumpedDatabase } from '../../data/kinds.ts'
import { useDatabases } from '../../data/lists/databases.ts'
import { useQuery } from '../../data/live/query.ts'
import { isAdmin } from '../../data/session.ts'
import { databasePath } from '../../routes.ts'
import { labelsOf } from './destination-labels.ts'
import { EditDestination, NewDestination } from './destination-form.tsx'
import { RemoveDestination } from './remove-destination.tsx'
import { StoredTest } from './test-steps.tsx'

export const adminsOnly = () => (isAdmin() ? null : 'Only administrators may change destinations')

export default function Destinations() {
  const destinations = useQuery('destination.all', {})
  const backups = useQuery('backup.all', {}, { kinds: ['backup'] })
  const isAdding = useSignal(false)
  const add = (
    <Button kind="primary" unavailable={adminsOnly()} onClick={() => (isAdding.value = true)}>
      Add a destination
    </Button>
  )
  return (
    <Page
      title="Backup destinations"
      sub="Where dumps are uploaded to: buckets of any storage with the S3 protocol, and folders of SFTP servers."
      actions={destinations.data.value?.length === 0 ? undefined : add}
    >
      <Loaded query={destinations} what="the destinations">
        {(list) =>
          list.length === 0 ? (
            <Empty title="There is no destination yet" action={add}>
              A backup needs a place outside of this machine. Create a bucket at a provider of S3 storage (or on another
              machine with MinIO, Garage or Ceph) and an access key that may read, write, list and delete in it. Or take
              a folder of a machine that you reach by SFTP.
            </Empty>
          ) : (
            list.map((each) => (
              <DestinationCard
                key={each.destinationId}
                destination={each}
                backups={backups.data.value?.filter(({ destinationId }) => destinationId === each.destinationId)}
              />
            ))
          )
        }
      </Loaded>
      {isAdding.value && <NewDestination onClose={() => (isAdding.value = false)} />}
    </Page>
  )
}

interface CardProps {
  destination: Destination
  /** Those that use it; undefined: not read yet. */
  backups: Backup[] | undefined
}

function DestinationCard({ destination, backups }: CardProps) {
  const dialog = useSignal<'edit' | 'remove' | null>(null)
  const close = () => (dialog.value = null)
  const labels = labelsOf[destination.kind]
  return (
    <section class="card">
      <div class="card-head">
        <h2>{destination.name}</h2>
        <div class="buttons">
          <Button small unavailable={adminsOnly()} onClick={() => (dialog.value = 'edit')}>
            Change
          </Button>
          <Button small kind="danger" unavailable={adminsOnly()} onClick={() => (dialog.value = 'remove')}>
            Remove
          </Button>
        </div>
      </div>
      <dl class="facts">
        <dt>{labels.bucket}</dt>
        <dd>
          <code>{destination.bucket}</code> at <code>{destination.endpoint}</code>
        </dd>
        {destination.kind === 's3' && (
          <>
            <dt>{labels.region}</dt>
            <dd>{destination.region === '' ? "the storage's default" : <code>{destination.region}</code>}</dd>
          </>
        )}
        <dt>{labels.accessKey}</dt>
        <dd>
          <code>{destination.accessKey}</code>, its secret is stored sealed
        </dd>
        {destination.hostKey !== null && (
          <>
            <dt>{labels.hostKey}</dt>
            <dd>
              <code>{destination.hostKey}</code>
            </dd>
          </>
        )}
        <dt>Added</dt>
        <dd>
          <TimeOr at={destination.createdAt} none="unknown" />
        </dd>
        <dt>Used by</dt>
        <dd>
          <Users backups={backups} destinationId={destination.destinationId} />
        </dd>
      </dl>
      <StoredTest destination={destination} />
      {dialog.value === 'edit' && <EditDestination destinationId={destination.destinationId} onClose={close} />}
      {dialog.value === 'remove' && (
        <RemoveDestination destination={destination} isUsed={(backups?.length ?? 0) > 0} onClose={close} />
      )}
    </section>
  )
}

/** The backups that dump into the destination. */
function Users({ backups, destinationId }: { backups: Backup[] | undefined; destinationId: string }) {
  const databases = useDatabases().rows.value
  const state = useQuery('state.one', isAdmin() ? {} : null)
  if (backups === undefined) return <span class="muted">…</span>
  const isForState = state.data.value?.destinationId === destinationId
  if (backups.length === 0 && !isForState) return <span class="muted">no backup</span>
  return (
    <ul>
      {isForState && (
        <li>
          <Link href="/state">Berth's own state</Link>
        </li>
      )}
      {backups.map((backup) => {
        const id = dumpedDatabase(backup) ?? ''
        const row = databases?.find(({ value }) => value.databaseId === id)?.value
        return (
          <li key={backup.backupId}>
            {row === undefined ? (
              <span class="muted">a removed database</span>
            ) : (
              <Link href={databasePath(id, 'backups')}>
                {row.projectName}/{row.name}
              </Link>
            )}{' '}
            <span class="muted">
              ({backup.database}, under {backup.prefix})
            </span>
          </li>
        )
      })}
    </ul>
  )
}
