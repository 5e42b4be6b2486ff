/** The published ports of an application. A gateway of Berth forwards each to the application. */
import { useSignal } from '@preact/signals'
import type { Port } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Conflicts } from '../../components/forms/conflicts.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { SelectField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Progress } from '../../components/progress.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { api } from '../../data/api.ts'
import { type Form, useForm } from '../../data/forms/form.ts'
import { useQuery } from '../../data/live/query.ts'
import { Applied } from './applied.tsx'
import { useRuleForm } from './edit-rule.ts'
import { shellLine } from '../../../shared/shell-word.ts'

interface Values {
  publishedPort: string
  targetPort: string
  protocol: string
}

const workCodes = new Set(['GatewayCreating', 'GatewayChanging', 'GatewayRemoving'])
const columns: readonly Column<Port>[] = [
  { title: 'Published', cell: ({ publishedPort, protocol }) => `${publishedPort}/${protocol}` },
  { title: 'Forwards to', cell: ({ targetPort }) => `port ${targetPort} of the application` },
  { title: 'State', cell: (port) => <PortState port={port} /> },
]

function PortState({ port }: { port: Port }) {
  if (!workCodes.has(port.reasonCode ?? '')) return <Applied rule={port} />
  return <Progress phase={port.reason ?? 'In progress'} part={null} />
}

export function PortList({ ports, isLoose = false }: { ports: Port[]; isLoose?: boolean }) {
  const edited = useSignal<string | null>(null)
  const removed = useSignal<Port | null>(null)
  return (
    <>
      <Table
        caption="Ports that gateways publish"
        columns={isLoose ? [{ title: 'Port of', cell: ({ applicationId }) => applicationId }, ...columns] : columns}
        rows={ports}
        rowKey={({ portId }) => portId}
        actions={(port) => (
          <span class="buttons">
            <Button small onClick={() => (edited.value = port.portId)}>
              Edit
            </Button>
            <Button small kind="danger" onClick={() => (removed.value = port)}>
              Remove
            </Button>
          </span>
        )}
      />
      {edited.value !== null && <EditPort portId={edited.value} onClose={() => (edited.value = null)} />}
      {removed.value !== null && <RemovePort port={removed.value} onClose={() => (removed.value = null)} />}
    </>
  )
}

const inputOf = ({ fields }: Form<Values>) => ({
  ...{ publishedPort: Number(fields.publishedPort.value), targetPort: Number(fields.targetPort.value) },
  protocol: fields.protocol.value as Port['protocol'],
})

export function PortDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const form = useForm<Values>({ publishedPort: '', targetPort: '', protocol: 'tcp' })
  const input = { ...inputOf(form), applicationId }
  const { publishedPort, targetPort, protocol } = input
  const ports = `${publishedPort}:${targetPort}`
  const command = shellLine`berth route publish ${applicationId} ${ports}${protocol === 'udp' ? ['--udp'] : []}`
  return (
    <Dialog title="Publish a port" onClose={onClose}>
      <FormBox
        form={form}
        submit="Publish the port"
        onSubmit={() => api.port.create(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        <p>Berth starts a gateway on its own node. The list shows when it works.</p>
        <Fields form={form} />
        <EqualCalls operation="port.create" input={input} command={command} />
      </FormBox>
    </Dialog>
  )
}

function EditPort({ portId, onClose }: { portId: string; onClose: () => void }) {
  const record = useQuery('port.one', { portId })
  return (
    <Dialog title="Edit the published port" onClose={onClose}>
      <Loaded query={record} what="the port">
        {(port) => <EditForm port={port} etag={record.etag.value ?? ''} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

const valuesOf = ({ publishedPort, targetPort, protocol }: Port): Values => ({
  ...{ publishedPort: String(publishedPort), targetPort: String(targetPort), protocol },
})

function EditForm({ port, etag, onClose }: { port: Port; etag: string; onClose: () => void }) {
  const { portId } = port
  const form = useRuleForm(port, etag, valuesOf, (options) => api.port.one({ portId }, options))
  const input = { portId, ...inputOf(form) }
  const save = () => form.save((_, headers) => api.port.update(input, { headers }))
  return (
    <>
      <Conflicts
        form={form}
        labels={{ publishedPort: 'Published port', targetPort: 'Port of the application', protocol: 'Protocol' }}
      />
      <FormBox
        form={{ ...form, submit: save }}
        submit="Save the port"
        unavailable={form.changed.value.length === 0 ? 'Nothing has changed' : null}
        onSubmit={save}
        onDone={onClose}
        onCancel={onClose}
      >
        <Fields form={form} />
        <p class="hint">The gateway is replaced, so connections through the port break.</p>
        <EqualCalls operation="port.update" input={input} />
      </FormBox>
    </>
  )
}

function Fields({ form: { fields, issues } }: { form: Form<Values> }) {
  return (
    <>
      <TextField
        field={fields.publishedPort}
        label="Published port"
        hint="On the node that Berth runs on"
        type="number"
        min={1}
        max={65_535}
        issue={issues.value.publishedPort}
      />
      <TextField
        field={fields.targetPort}
        label="Port of the application"
        hint="On which the application listens"
        type="number"
        min={1}
        max={65_535}
        issue={issues.value.targetPort}
      />
      <SelectField
        field={fields.protocol}
        label="Protocol"
        choices={[
          { value: 'tcp', text: 'TCP' },
          { value: 'udp', text: 'UDP' },
        ]}
        issue={issues.value.protocol}
      />
    </>
  )
}

function RemovePort({ port: { portId, publishedPort, protocol }, onClose }: { port: Port; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Unpublish ${publishedPort}/${protocol}`}
      action="Unpublish the port"
      phrase={null}
      onClose={onClose}
      run={() => api.port.delete({ portId })}
    >
      <p>Connections through the port break, and new ones are refused. The application itself goes on.</p>
      <EqualCalls operation="port.delete" input={{ portId }} command={shellLine`berth route rm ${portId}`} />
    </ConfirmDialog>
  )
}
