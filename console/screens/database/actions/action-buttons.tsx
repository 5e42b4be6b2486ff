/** The buttons that begin work on a database. One that cannot be used now says why. */
import { useSignal } from '@preact/signals'
import { Button } from '../../../components/button.tsx'
import type { TabProps } from '../view.ts'
import { type Action, ActionDialog } from './action-dialogs.tsx'

const words: Record<Action, string> = { deploy: 'Deploy', start: 'Start', stop: 'Stop', reload: 'Restart' }

type Props = Pick<TabProps, 'kind' | 'databaseId' | 'record' | 'path'>

export function ActionButtons({ actions, ...props }: Props & { actions: readonly Action[] }) {
  const open = useSignal<Action | null>(null)
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action}
          kind={action === 'deploy' && props.record.pendingChanges ? 'primary' : 'usual'}
          unavailable={reasonAgainst(action, props.record)}
          onClick={() => (open.value = action)}
        >
          {words[action]}
        </Button>
      ))}
      {open.value !== null && <ActionDialog {...props} action={open.value} onClose={() => (open.value = null)} />}
    </>
  )
}

/** Null: the action is possible. Berth checks it again. */
function reasonAgainst(action: Action, { applicationStatus, volume, statusCode }: TabProps['record']): string | null {
  if (statusCode === 'Restoring') return 'A backup is being restored into it. Wait until the restore has ended'
  if (statusCode === 'Moving') return 'The database is being moved. Wait until the move has ended'
  const isNew = volume === null
  const isStopped = applicationStatus === 'idle'
  if (action === 'start' && isNew) return 'It was never deployed. Deploy it first'
  if (action === 'start' && applicationStatus === 'done') return 'It runs already'
  if ((action === 'stop' || action === 'reload') && isStopped) return 'It does not run'
  return null
}
