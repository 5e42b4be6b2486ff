/** Uploads a certificate with its key, pasted or from files. */
import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField, TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { shellLine } from '../../../shared/shell-word.ts'

export function NewCertificate({ onClose }: { onClose: () => void }) {
  const form = useForm({ name: '', certificateData: '', privateKey: '', autoRenew: false })
  const { fields, issues } = form
  const input = {
    ...{ name: fields.name.value, certificateData: fields.certificateData.value },
    ...{ privateKey: fields.privateKey.value, autoRenew: fields.autoRenew.value },
  }
  const renewal = input.autoRenew ? ['--auto-renew'] : []
  const command = shellLine`berth certificate add ${input.name || 'NAME'} --cert FILE --key FILE${renewal}`
  return (
    <Dialog title="Add a certificate" onClose={onClose}>
      <FormBox
        form={form}
        submit="Add the certificate"
        onSubmit={() => api.certificates.create(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        <TextField field={fields.name} label="Name" placeholder="shop" issue={issues.value.name} />
        <TextField
          field={fields.certificateData}
          label="Certificate"
          placeholder="-----BEGIN CERTIFICATE-----"
          hint="PEM: the certificate of the host, then each issuer in order"
          isLong
          isCode
          issue={issues.value.certificateData}
        />
        <FileInto field={fields.certificateData} label="Certificate from a file" />
        <TextField
          field={fields.privateKey}
          label="Private key"
          placeholder="-----BEGIN PRIVATE KEY-----"
          hint="PEM, without a passphrase. Berth stores it encrypted, and never shows it."
          isLong
          isCode
          autoComplete="off"
          issue={issues.value.privateKey}
        />
        <FileInto field={fields.privateKey} label="Private key from a file" />
        <CheckField
          field={fields.autoRenew}
          label="Renew it by ACME"
          hint="In the last third of its lifetime, by Let's Encrypt for example. The names have to lead to this machine."
          issue={issues.value.autoRenew}
        />
        <EqualCalls operation="certificates.create" input={input} command={command} />
      </FormBox>
    </Dialog>
  )
}

/** The content of a file becomes the text of a field. The file stays on this machine until the form is sent. */
function FileInto({ field, label }: { field: Signal<string>; label: string }) {
  const id = useId()
  return (
    <div class="field file">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept=".pem,.crt,.cer,.key"
        onChange={async (event) => {
          const file = event.currentTarget.files?.[0]
          if (file !== undefined) field.value = await file.text()
        }}
      />
    </div>
  )
}
