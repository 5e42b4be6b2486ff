/** The external port of a database: open, change or close it. */
import { useSignal } from '@preact/signals'
import { Button } from '../../../components/button.tsx'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { TextField } from '../../../components/forms/fields.tsx'
import { FormBox } from '../../../components/forms/form.tsx'
import { Notice } from '../../../components/notice.tsx'
import { State } from '../../../components/state.tsx'
import { useForm } from '../../../data/forms/form.ts'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import { ActionButtons } from '../actions/action-buttons.tsx'
import type { TabProps } from '../view.ts'
import { changeText, reasonAgainstPort, waitingText } from './port-state.ts'
import { shellLine } from '../../../../shared/shell-word.ts'

export function ExternalPort(props: TabProps) {
  const { kind, databaseId, record, path } = props
  const form = useForm({ externalPort: record.externalPort === null ? '' : String(record.externalPort) })
  const isClosing = useSignal(false)
  const typed = form.fields.externalPort.value.trim()
  const port = /^\d+$/.test(typed) ? Number(typed) : typed
  return (
    <section class="card" aria-labelledby="port">
      <div class="card-head">
        <h2 id="port">External port</h2>
        {record.externalPort === null ? (
          <State tone="neutral">closed</State>
        ) : (
          <span>
            port <strong>{record.externalPort}</strong> on{' '}
            {record.node === null ? 'the node of the database' : `node ${record.node}`}
            {waitingText(record) !== null && ', not open yet'}
          </span>
        )}
      </div>
      <p>
        A port of the node on which clients outside the swarm reach the database. {changeText(record)} Whoever reaches
        the node can then try to log in, so a firewall is advisable.
      </p>
      <Waiting {...props} />
      <FormBox
        form={form}
        submit={submitText(record)}
        unavailable={reasonAgainstPort(record, port)}
        onSubmit={() => callDatabase(kind, 'saveExternalPort', databaseId, { externalPort: port })}
      >
        <TextField
          field={form.fields.externalPort}
          label="Port"
          inputMode="numeric"
          placeholder="15432"
          hint="A number from 1 to 65535 that nothing else on the node uses"
          autoComplete="off"
          issue={form.issues.value.externalPort}
        />
        <EqualCalls
          operation={`${kind}.saveExternalPort`}
          input={{ ...idInput(kind, databaseId), externalPort: port }}
          command={shellLine`berth set ${path} --port ${typed === '' ? 'PORT' : typed}`}
        />
      </FormBox>
      {record.externalPort !== null && (
        <div class="buttons">
          <Button kind="danger" onClick={() => (isClosing.value = true)}>
            Close the port
          </Button>
        </div>
      )}
      {isClosing.value && <CloseDialog {...props} onClose={() => (isClosing.value = false)} />}
    </section>
  )
}

/** A port that is saved, but not open. */
function Waiting(props: TabProps) {
  const text = waitingText(props.record)
  const isWorking = props.record.applicationStatus === 'running'
  if (text === null) return null
  return (
    <Notice tone={isWorking ? 'working' : 'warning'}>
      <div class="card-head">
        <p>{text}</p>
        {!isWorking && (
          <span class="buttons">
            <ActionButtons {...props} actions={['deploy']} />
          </span>
        )}
      </div>
    </Notice>
  )
}

function submitText({ externalPort, applicationStatus }: TabProps['record']): string {
  if (applicationStatus !== 'done') return 'Save the port'
  return externalPort === null ? 'Open the port' : 'Change the port'
}

function CloseDialog({ kind, databaseId, record, path, onClose }: TabProps & { onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Close port ${record.externalPort}`}
      action="Close the port"
      phrase={null}
      onClose={onClose}
      run={() => callDatabase(kind, 'saveExternalPort', databaseId, { externalPort: null })}
    >
      <p>
        Clients outside the swarm lose their connections and can no longer connect. Services on Berth's network still
        can.
      </p>
      <EqualCalls
        operation={`${kind}.saveExternalPort`}
        input={{ ...idInput(kind, databaseId), externalPort: null }}
        command={shellLine`berth set ${path} --port none`}
      />
    </ConfirmDialog>
  )
}
