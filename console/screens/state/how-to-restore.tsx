/** What a restore of Berth's own state needs: commands on the machine, for Berth cannot replace itself while it runs. */
import { CodeBlock } from '../../components/copy.tsx'
import { Notice } from '../../components/notice.tsx'
import { type Fetched, fetchCommand } from '../destinations/fetch-command.ts'
import { useQuery } from '../../data/live/query.ts'

export function HowToRestore({ destinationId }: { destinationId: string | null }) {
  const destinations = useQuery('destination.all', {}).data.value
  const runs = useQuery('state.runs', { order: 'desc', limit: 50 }).data.value
  const destination = destinations?.find((each) => each.destinationId === destinationId)
  const key = runs?.find((run) => run.status === 'done' && run.key !== null)?.key ?? 'berth/state/KEY.berth'
  return (
    <section class="card">
      <h2>What a restore needs</h2>
      <MasterKeyNotice />
      <p>
        A restore runs on this machine, or on another manager of the same swarm, with the master key that Berth had when
        the backup was made. <strong>If the old Berth still runs, stop it first:</strong> two Berths must never run with
        the same state.
      </p>
      <CodeBlock what="the restore" text={restoreCommands(destination, key)} />
      <ul class="stack">
        <li>Databases keep running. Berth finds its services, ports and volumes again, and restarts no database.</li>
        <li>Accounts and tokens are those of the time of the backup. A token that was revoked since is valid again.</li>
        <li>
          Services that were removed or stopped after the backup start again, because their restored records say that
          they run. Services without a record stay.
        </li>
        <li>Runs and work that were in progress when the backup was made end as failed.</li>
      </ul>
      <p class="hint">
        Add <code>--replace</code> if the data folder has a store already. The old one is kept beside the new one.
      </p>
      <h3>A backup into a file, on Berth's machine</h3>
      <CodeBlock what="the backup into a file" text="berth state backup berth-state" />
    </section>
  )
}

const unknown: Fetched = { kind: 's3', endpoint: 'https://s3.example.org', bucket: 'BUCKET', accessKey: '' }

function restoreCommands(destination: Fetched | undefined, key: string): string {
  return [
    fetchCommand(destination ?? unknown, key, 'berth-state'),
    'mkdir -p ~/.berth && cp /somewhere/safe/master.key ~/.berth/',
    'berth state restore berth-state',
    'berth up',
  ].join('\n')
}

/** The key is needed for every restore, and is in no backup. */
const MasterKeyNotice = () => (
  <Notice tone="warning">
    <p>
      <strong>The master key is in no backup of the state.</strong> Keep a copy of <code>master.key</code> from Berth's
      data folder (or <code>BERTH_MASTER_KEY</code>) somewhere else. Without it, nobody can open the backups.
    </p>
  </Notice>
)
