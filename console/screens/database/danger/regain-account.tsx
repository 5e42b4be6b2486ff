/** Makes Berth's own account on the server again, with a restart in its maintenance mode. */
import { useSignal } from '@preact/signals'
import { Button } from '../../../components/button.tsx'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import { useQuery } from '../../../data/live/query.ts'
import { shellLine } from '../../../../shared/shell-word.ts'
import type { TabProps } from '../view.ts'
import { Part } from './part.tsx'

/** Only if Berth has lost its account and cannot make it again by itself. */
export function RegainAccount(props: TabProps) {
  const isOpen = useSignal(false)
  const conditions = useQuery('condition.all', {}, { kinds: ['condition'] }).data.value ?? []
  const isLost = conditions.some(
    ({ name, subjectId }) => name === 'DatabaseRightsLost' && subjectId === props.databaseId,
  )
  if (!isLost && !isOpen.value) return null
  const button = (
    <Button kind="danger" onClick={() => (isOpen.value = true)}>
      Make Berth's account again
    </Button>
  )
  return (
    <>
      <Part title="Berth's own account" button={button}>
        Berth has no account with all rights on the server, so dumps, restores and changed passwords can fail. Berth can
        make it again while the server is in its maintenance mode.
      </Part>
      {isOpen.value && <RegainDialog {...props} onClose={() => (isOpen.value = false)} />}
    </>
  )
}

function RegainDialog({ kind, databaseId, record, path, onClose }: TabProps & { onClose: () => void }) {
  const input = { confirm: record.appName }
  return (
    <ConfirmDialog
      title={`Make Berth's account on ${record.name} again`}
      action="Restart the server twice"
      phrase={record.name}
      onClose={onClose}
      run={() => callDatabase(kind, 'regainAccount', databaseId, input)}
    >
      <p>
        The server starts once in its maintenance mode, without clients, and then as usual. Clients lose their
        connections, and cannot connect for some seconds or as long as the server needs to start twice.
      </p>
      <p>No other account changes. If the maintenance mode fails, the server starts as before.</p>
      <EqualCalls
        operation={`${kind}.regainAccount`}
        input={{ ...idInput(kind, databaseId), ...input }}
        command={shellLine`berth regain-account ${path}`}
      />
    </ConfirmDialog>
  )
}
