/** Replaces the certificate with which Berth calls the engines of the other nodes. */
import { useSignal } from '@preact/signals'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField } from '../../components/forms/fields.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'

export function EngineAccessDialog({ onClose }: { onClose: () => void }) {
  const immediately = useSignal(false)
  const input = immediately.value ? { immediately: true } : {}
  return (
    <ConfirmDialog
      title="Replace the certificate for the engines"
      action={immediately.value ? 'Revoke the present certificate' : 'Replace the certificate'}
      phrase={null}
      onClose={onClose}
      run={async () => {
        await api.cluster.rotateEngineAccess(input)
        onClose()
      }}
    >
      <p>
        Berth calls the Docker engines of the other nodes with a certificate. Whoever has the certificate and its key is
        root on every node. Berth renews it by itself before it expires.
      </p>
      <p>Each node changes when no backup, restore, move or session uses it. Work under way shows the progress.</p>
      <CheckField field={immediately} label="Revoke it now: somebody may have the key" />
      {immediately.value && (
        <Notice tone="warning">
          <p>Backups, restores and moves on other nodes are interrupted.</p>
        </Notice>
      )}
      <EqualCalls
        operation="cluster.rotateEngineAccess"
        input={input}
        command={`berth node rotate-access${immediately.value ? ' --immediately' : ''}`}
      />
    </ConfirmDialog>
  )
}
