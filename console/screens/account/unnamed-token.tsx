/** Creates the one token without a name, as the operation auth.generateToken has it. */
import { useSignal } from '@preact/signals'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { api } from '../../data/api.ts'
import { withProof } from '../../data/forms/proof.ts'
import { CreatedToken } from './new-token.tsx'

export function UnnamedToken({ onClose }: { onClose: () => void }) {
  const token = useSignal<string | null>(null)
  if (token.value !== null) return <CreatedToken name="without a name" token={token.value} onClose={onClose} />
  return (
    <ConfirmDialog
      title="Replace the unnamed token?"
      action="Replace the unnamed token"
      phrase={null}
      onClose={() => token.value === null && onClose()}
      run={async () => {
        token.value = (await withProof((proof) => api.auth.generateToken(proof))).token
      }}
    >
      <p>
        Berth revokes your present token without a name, if there is one, and creates another. The new one has the scope
        admin and does not expire.
      </p>
      <p class="muted">Tokens with a name are better: each program has its own, and you see which one is in use.</p>
      <EqualCalls operation="auth.generateToken" input={{}} />
    </ConfirmDialog>
  )
}
