/** One backup: when it runs, what it keeps, and what can be done with it. */
import { useSignal } from '@preact/signals'
import type { Backup } from '../../../../../client/client.ts'
import { ConfirmDialog } from '../../../../components/dialog.tsx'
import { ErrorNotice, Notice } from '../../../../components/notice.tsx'
import { RoleButton } from '../../../../components/access/role-button.tsx'
import { keepText } from '../../../../components/schedule/keep-fields.tsx'
import { State } from '../../../../components/state.tsx'
import { TimeOr } from '../../../../components/time.tsx'
import { api } from '../../../../data/api.ts'
import { cronText } from '../../../../components/schedule/cron.ts'
import { useQuery } from '../../../../data/live/query.ts'
import { EditBackupDialog, readBackup } from './backup-form.tsx'

export function BackupFacts({ backup }: { backup: Backup }) {
  const destinations = useQuery('destination.all', {}).data.value
  const destination = destinations?.find(({ destinationId }) => destinationId === backup.destinationId)
  return (
    <dl class="facts">
      <dt>Database</dt>
      <dd>
        <code>{backup.database}</code> to {destination?.name ?? 'a destination'}, under <code>{backup.prefix}</code>
      </dd>
      <dt>Dumps</dt>
      <dd>
        {cronText(backup.schedule)} ({backup.timezone}).{' '}
        {backup.enabled ? (
          <>
            Next <TimeOr at={backup.nextAt} none="never" />
          </>
        ) : (
          <State tone="neutral">switched off</State>
        )}
      </dd>
      <dt>Verification</dt>
      <dd>
        {backup.verifySchedule === null ? (
          'only on demand'
        ) : (
          <>
            {cronText(backup.verifySchedule)}. Next <TimeOr at={backup.nextVerifyAt} none="never" />
          </>
        )}
      </dd>
      <dt>Keeps</dt>
      <dd>{keepText(backup)}</dd>
      <dt>Encryption</dt>
      <dd>{recipientText(backup.recipient)}</dd>
      {backup.signalUrl !== null && (
        <>
          <dt>Calls after a good dump</dt>
          <dd>
            <code>{backup.signalUrl}</code>
          </dd>
        </>
      )}
      {backup.promise !== null && (
        <>
          <dt>A dump contains</dt>
          <dd>{backup.promise}</dd>
        </>
      )}
    </dl>
  )
}

const recipientText = (recipient: string | null) =>
  recipient === null
    ? 'none: everybody who can read the bucket can read the dumps'
    : recipient === 'installation'
      ? 'for this Berth'
      : `for ${recipient}`

/** Change and remove. The record is read with its tag when the form is opened. */
export function BackupButtons({ backup, projectId }: { backup: Backup; projectId: string }) {
  const editing = useSignal<Awaited<ReturnType<typeof readBackup>> | null>(null)
  const isRemoving = useSignal(false)
  const owner = { projectId, needs: 'owner', small: true } as const
  const error = useSignal<unknown>(null)
  const edit = async () => {
    try {
      editing.value = await readBackup(backup.backupId)
      error.value = null
    } catch (caught) {
      error.value = caught
    }
  }
  return (
    <>
      <div class="buttons">
        <RoleButton {...owner} onClick={() => void edit()}>
          Change
        </RoleButton>
        <RoleButton {...owner} kind="danger" onClick={() => (isRemoving.value = true)}>
          Remove
        </RoleButton>
      </div>
      {error.value !== null && <ErrorNotice error={error.value} />}
      {editing.value !== null && (
        <EditBackupDialog backupId={backup.backupId} first={editing.value} onClose={() => (editing.value = null)} />
      )}
      {isRemoving.value && <RemoveDialog backup={backup} onClose={() => (isRemoving.value = false)} />}
    </>
  )
}

const RemoveDialog = ({ backup, onClose }: { backup: Backup; onClose: () => void }) => (
  <ConfirmDialog
    title="Remove the backup"
    action="Remove the backup"
    phrase={backup.database}
    onClose={onClose}
    run={() => api.backup.remove({ backupId: backup.backupId })}
  >
    <p>Berth makes no more dumps by this schedule, and its list of runs is lost.</p>
    <p>
      The dumps stay in the bucket, under <code>{backup.prefix}</code>. They can be restored from the list of files as
      long as the destination exists. Berth deletes none of them any more.
    </p>
  </ConfirmDialog>
)

interface ShrunkProps {
  backup: Backup
  projectId: string
  onRestore: (runId: string) => void
}

/** Dumps have much less than before: the data may be lost, so the older dumps are kept until somebody decides. */
export function ShrunkNotice({ backup, projectId, onRestore }: ShrunkProps) {
  const isAsking = useSignal(false)
  const owner = { projectId, needs: 'owner', small: true } as const
  const { shrunk } = backup
  if (shrunk === null) return null
  return (
    <Notice tone="warning">
      <p>
        <strong>The dumps of {backup.database} have less than half of the rows or bytes of an earlier one.</strong> Data
        may have been lost. Until this is settled, Berth deletes no dump that is older than the first small one.
      </p>
      <div class="buttons">
        <RoleButton {...owner} onClick={() => onRestore(shrunk.shrunkFrom)}>
          Restore the earlier dump
        </RoleButton>
        <RoleButton {...owner} onClick={() => (isAsking.value = true)}>
          The new size is right
        </RoleButton>
      </div>
      {isAsking.value && (
        <ConfirmDialog
          title="Accept the smaller dumps?"
          action="Accept the new size"
          phrase={null}
          onClose={() => (isAsking.value = false)}
          run={() => api.backup.acceptShrink({ backupId: backup.backupId })}
        >
          <p>
            Check the database first. From the next good dump on, Berth deletes the older dumps by the rules for keeping
            again, and the lost data with them.
          </p>
        </ConfirmDialog>
      )}
    </Notice>
  )
}
