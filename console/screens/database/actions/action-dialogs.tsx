/** The dialogs that begin work on a database: deploy, start, stop and reload. Each says what happens. */
import { useSignal } from '@preact/signals'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { EqualCalls } from '../../../components/forms/equal-calls.tsx'
import { CheckField } from '../../../components/forms/fields.tsx'
import { Notice } from '../../../components/notice.tsx'
import { callDatabase, idInput } from '../../../data/kinds.ts'
import type { TabProps } from '../view.ts'
import { deployText } from './deploy-text.ts'
import { shellLine } from '../../../../shared/shell-word.ts'

export type Action = 'deploy' | 'start' | 'stop' | 'reload'

type Props = Pick<TabProps, 'kind' | 'databaseId' | 'record' | 'path'> & { onClose: () => void }

const dialogs = { deploy: DeployDialog, start: StartDialog, stop: StopDialog, reload: ReloadDialog }

export function ActionDialog({ action, ...props }: Props & { action: Action }) {
  const Content = dialogs[action]
  return <Content {...props} />
}

function DeployDialog({ kind, databaseId, record, path, onClose }: Props) {
  const pull = useSignal(false)
  const acceptNewData = useSignal(false)
  const volume = volumeChoice(record, acceptNewData.value)
  const input = { ...(pull.value && { pull: true }), ...volume.input }
  const options = [...(pull.value ? ['--pull'] : []), ...volume.options]
  return (
    <ConfirmDialog
      title={`Deploy ${record.name}`}
      action="Deploy"
      phrase={null}
      isDangerous={acceptNewData.value}
      onClose={onClose}
      run={() => callDatabase(kind, 'deploy', databaseId, input)}
    >
      <p>{deployText(record)}</p>
      <p class="muted">
        If the new configuration does not work, Berth goes back to the last one that worked. The deploy goes on when
        this page is closed.
      </p>
      <CheckField
        field={pull}
        label="Look for a newer image of the same tag"
        hint={`Asks the registry again what ${record.dockerImage} is. Without this, the deployed image stays.`}
      />
      <AcceptNewData record={record} field={acceptNewData} />
      <EqualCalls
        operation={`${kind}.deploy`}
        input={{ ...idInput(kind, databaseId), ...input }}
        command={shellLine`berth deploy ${path}${options}`}
      />
    </ConfirmDialog>
  )
}

function StartDialog({ kind, databaseId, record, path, onClose }: Props) {
  const acceptNewData = useSignal(false)
  const { input, options } = volumeChoice(record, acceptNewData.value)
  return (
    <ConfirmDialog
      title={`Start ${record.name}`}
      action="Start"
      phrase={null}
      isDangerous={acceptNewData.value}
      onClose={onClose}
      run={() => callDatabase(kind, 'start', databaseId, input)}
    >
      <p>
        Berth starts the database with the configuration of the last deploy
        {record.pendingChanges ? ', without the changes that were saved since. To apply those, deploy instead' : ''}.
      </p>
      <AcceptNewData record={record} field={acceptNewData} />
      <EqualCalls
        operation={`${kind}.start`}
        input={{ ...idInput(kind, databaseId), ...input }}
        command={shellLine`berth start ${path}${options}`}
      />
    </ConfirmDialog>
  )
}

/** What a start does about a fault of the volume, as input of the call and as options of the command. */
function volumeChoice({ volumeFault }: TabProps['record'], isChosen: boolean) {
  if (!isChosen) return { input: {}, options: [] }
  return volumeFault === 'FirstStartInterrupted'
    ? { input: { anew: true }, options: ['--anew'] }
    : { input: { acceptNewData: true }, options: ['--accept-new-data'] }
}

/** Only if Berth does not start the database because its volume is missing, or holds other or incomplete data. */
function AcceptNewData({ record, field }: { record: TabProps['record']; field: { value: boolean } }) {
  if (record.volumeFault === null) return null
  const { problem, choice, hint } = faultTexts[record.volumeFault]
  return (
    <Notice tone="warning">
      <p>{problem}</p>
      <CheckField field={field as never} label={choice} hint={hint} />
    </Notice>
  )
}

const lasting = 'Berth then treats this data as that of the database, for good.'

const faultTexts: Record<
  NonNullable<TabProps['record']['volumeFault']>,
  Record<'problem' | 'choice' | 'hint', string>
> = {
  VolumeMissing: {
    problem: 'The volume is missing on its node. Without it the database would begin empty.',
    choice: 'Begin with an empty volume',
    hint: lasting,
  },
  DataReplaced: {
    problem: 'The volume holds other data than before.',
    choice: 'Use the data that is on the volume now',
    hint: lasting,
  },
  FirstStartInterrupted: {
    problem: 'The first start was interrupted, so the data on the volume is incomplete.',
    choice: 'Begin on a new volume',
    hint: 'The old volume is kept under Volumes.',
  },
}

function StopDialog({ kind, databaseId, record, path, onClose }: Props) {
  return (
    <ConfirmDialog
      title={`Stop ${record.name}`}
      action="Stop the database"
      phrase={null}
      onClose={onClose}
      run={() => callDatabase(kind, 'stop', databaseId)}
    >
      <p>Clients lose their connections, and nobody can connect until the database is started again.</p>
      <p>The data, the settings and the backups stay. Scheduled backups do not run while it is stopped.</p>
      <EqualCalls
        operation={`${kind}.stop`}
        input={idInput(kind, databaseId)}
        command={shellLine`berth stop ${path}`}
      />
    </ConfirmDialog>
  )
}

function ReloadDialog({ kind, databaseId, record, path, onClose }: Props) {
  const input = { appName: record.appName }
  return (
    <ConfirmDialog
      title={`Restart ${record.name}`}
      action="Restart the server"
      phrase={null}
      onClose={onClose}
      run={() => callDatabase(kind, 'reload', databaseId, input)}
    >
      <p>
        The server stops and starts in a new container, with the saved settings. Clients lose their connections for some
        seconds.
      </p>
      {record.pendingChanges && <p>Changes that were saved since the last deploy take effect, too.</p>}
      <EqualCalls
        operation={`${kind}.reload`}
        input={{ ...idInput(kind, databaseId), ...input }}
        command={shellLine`berth reload ${path}`}
      />
    </ConfirmDialog>
  )
}
