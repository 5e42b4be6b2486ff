/** The tab Danger of a database: what interrupts it, and what is lost for good. */
import { useSignal } from '@preact/signals'
import { Button } from '../../../components/button.tsx'
import { ActionButtons } from '../actions/action-buttons.tsx'
import type { TabProps } from '../view.ts'
import { MoveDialog } from './move-dialog.tsx'
import { Part } from './part.tsx'
import { RegainAccount } from './regain-account.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { StatusForm } from './status-form.tsx'

export function DangerTab(props: TabProps) {
  return (
    <>
      <Part title="Stop" button={<ActionButtons {...props} actions={['stop']} />}>
        The server ends, and nobody can connect until it is started again. Data, settings and backups stay. Scheduled
        backups do not run meanwhile.
      </Part>
      <RegainAccount {...props} />
      <Move {...props} />
      <Remove {...props} />
      <StatusForm {...props} />
    </>
  )
}

function Move(props: TabProps) {
  const isOpen = useSignal(false)
  const { record } = props
  const button = (
    <Button kind="danger" unavailable={reasonAgainstMove(props)} onClick={() => (isOpen.value = true)}>
      Move to another node
    </Button>
  )
  return (
    <>
      <Part title="Move to another node" button={button}>
        Copies the data to a new volume on another node and compares both sides. The database is unavailable during the
        copy. Now it is on {record.node ?? 'no node'}.
      </Part>
      {isOpen.value && <MoveDialog {...props} onClose={() => (isOpen.value = false)} />}
    </>
  )
}

/** Berth checks it again. */
function reasonAgainstMove({ record }: TabProps): string | null {
  if (record.applicationStatus === 'running') return 'Work on it is under way. Wait until it has ended'
  return record.applicationStatus === 'done' ? null : 'Only a database that is up can be moved'
}

function Remove(props: TabProps) {
  const isOpen = useSignal(false)
  const button = (
    <Button kind="danger" onClick={() => (isOpen.value = true)}>
      Remove the database
    </Button>
  )
  return (
    <>
      <Part title="Remove" button={button}>
        Ends the server and deletes the record. You choose whether the volume with the data is kept: a kept volume can
        become a database again.
      </Part>
      {isOpen.value && <RemoveDialog {...props} onClose={() => (isOpen.value = false)} />}
    </>
  )
}
