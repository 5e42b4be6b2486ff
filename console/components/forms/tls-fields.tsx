/** The fields about TLS of a database. */
import type { Signal } from '@preact/signals'
import { type TlsMode, tlsExplanations, tlsModes, tlsNamesHint } from '../../data/forms/tls-modes.ts'
import { Choices } from '../choices.tsx'
import { Notice } from '../notice.tsx'
import { TextField } from './fields.tsx'

interface Props {
  mode: Signal<string>
  /** Names, one in a line. */
  names: Signal<string>
  issues: { tls?: string | undefined; tlsNames?: string | undefined }
  /** What speaks against the chosen mode. */
  warning?: string | null
}

export function TlsFields({ mode, names, issues, warning = null }: Props) {
  return (
    <>
      <div class="field">
        <span class="label">Connections with TLS</span>
        <Choices
          label="Connections with TLS"
          choices={Object.entries(tlsModes).map(([value, text]) => ({ value, text }))}
          value={mode.value}
          onChange={(value) => (mode.value = value)}
        />
        <p class="hint" role="status">
          {tlsExplanations[mode.value as TlsMode]}
        </p>
        {warning !== null && (
          <Notice tone="warning" announce>
            <p>{warning}</p>
          </Notice>
        )}
        {issues.tls !== undefined && <p class="wrong">{issues.tls}</p>}
      </div>
      <TextField
        field={names}
        label="Further names in the certificate"
        required={false}
        isLong
        isCode
        placeholder="db.example.org"
        hint={tlsNamesHint}
        autoComplete="off"
        issue={issues.tlsNames}
      />
    </>
  )
}
