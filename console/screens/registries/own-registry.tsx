/** Runs a registry on the swarm, or changes the address and the user of the one that runs. */
import type { Registry } from '../../../client/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, PasswordField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { api } from '../../data/api.ts'
import { type Form, useForm } from '../../data/forms/form.ts'
import { shellLine } from '../../../shared/shell-word.ts'

const mask = '********'

export function OwnRegistryDialog({ own, onClose }: { own: Registry | null; onClose: () => void }) {
  const form = useForm<Values>({
    ...{ registryUrl: own?.registryUrl ?? '', username: own?.username ?? '', password: '' },
    insecure: own?.insecure ?? false,
  })
  const { fields } = form
  const input = {
    ...{ registryUrl: fields.registryUrl.value, username: fields.username.value },
    password: fields.password.value === '' && own !== null ? mask : fields.password.value,
    insecure: fields.insecure.value,
  }
  return (
    <Dialog title={own === null ? 'Run your own registry' : 'Change your own registry'} onClose={onClose}>
      <FormBox
        form={form}
        submit={own === null ? 'Run the registry' : 'Change the registry'}
        onSubmit={() => api.registry.enableSelfHostedRegistry(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        <p>
          Berth runs one registry on the swarm. If Berth has kept the volume of an earlier one, its images are there
          again. The list shows when the registry is up.
        </p>
        <Fields form={form} isNew={own === null} />
        <EqualCalls
          operation="registry.enableSelfHostedRegistry"
          input={input}
          command={shellLine`berth registry enable ${input.registryUrl || 'ADDRESS'} --user ${input.username || 'USER'}`}
        />
      </FormBox>
    </Dialog>
  )
}

interface Values {
  registryUrl: string
  username: string
  password: string
  insecure: boolean
}

const withPort =
  'With a port: served on this node without TLS. Docker accepts that only from 127.0.0.1, or if each node lists the ' +
  "address in dockerd's insecure-registries."

function Fields({ form: { fields, issues }, isNew }: { form: Form<Values>; isNew: boolean }) {
  const hasPort = /:\d+$/.test(fields.registryUrl.value.trim())
  return (
    <>
      <TextField
        field={fields.registryUrl}
        label="Address"
        placeholder="registry.example.com or 10.0.0.5:5000"
        hint={hasPort ? withPort : 'Without a port: served by the proxy with TLS, with a certificate for the name.'}
        isCode
        issue={issues.value.registryUrl}
      />
      <TextField field={fields.username} label="User" autoComplete="off" issue={issues.value.username} />
      <PasswordField
        field={fields.password}
        label="Password"
        hint={isNew ? 'At most 72 bytes' : 'Empty: the stored one stays'}
        required={isNew}
        autoComplete="new-password"
        issue={issues.value.password}
      />
      <CheckField
        field={fields.insecure}
        label="Accept any certificate"
        hint="Also a self-signed one"
        issue={issues.value.insecure}
      />
    </>
  )
}
