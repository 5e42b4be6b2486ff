/** The API tokens of the own account. */
import { useSignal } from '@preact/signals'
import type { AuthRevokeToken as Token } from '../../../client/operations.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time, TimeOr } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/live/query.ts'
import { IdentifyToken } from './identify-token.tsx'
import { NewToken } from './new-token.tsx'
import { UnnamedToken } from './unnamed-token.tsx'
import { shellLine } from '../../../shared/shell-word.ts'

const columns: Column<Token>[] = [
  { title: 'Name', cell: ({ name }) => name ?? <span class="muted">unnamed</span> },
  { title: 'Scope', cell: ({ scope }) => scope },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  { title: 'Expires', cell: ({ expiresAt }) => <TimeOr at={expiresAt} none="never" /> },
]

export function Tokens() {
  const tokens = useQuery('auth.tokens', {}, { everyMs: 60_000 })
  const dialog = useSignal<'new' | 'unnamed' | 'identify' | Token | null>(null)
  const close = () => {
    dialog.value = null
    void tokens.reload()
  }
  const create = (
    <Button kind="primary" onClick={() => (dialog.value = 'new')}>
      Create a token
    </Button>
  )
  return (
    <section class="stack">
      <div class="card-head">
        <div>
          <h2>API tokens</h2>
          <p class="muted">For programs and pipelines. A token never has more rights than your account.</p>
        </div>
        {(tokens.data.value ?? []).length > 0 && create}
      </div>
      <Loaded query={tokens} what="your API tokens">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No API tokens" action={create}>
              With a token, a program calls Berth in your name: a pipeline that deploys, or a script that reads. Give
              each program its own, with the narrowest scope that is enough.
            </Empty>
          ) : (
            <Table
              caption="Your API tokens"
              columns={columns}
              rows={rows.toReversed()}
              rowKey={({ tokenId }) => tokenId}
              actions={(row) => (
                <Button small onClick={() => (dialog.value = row)}>
                  Revoke
                </Button>
              )}
            />
          )
        }
      </Loaded>
      <div class="buttons">
        <Button small onClick={() => (dialog.value = 'identify')}>
          Look up a token
        </Button>
        <Button small onClick={() => (dialog.value = 'unnamed')}>
          Replace the unnamed token
        </Button>
      </div>
      {dialog.value === 'new' && <NewToken onClose={close} />}
      {dialog.value === 'unnamed' && <UnnamedToken onClose={close} />}
      {dialog.value === 'identify' && <IdentifyToken onClose={close} />}
      {dialog.value !== null && typeof dialog.value === 'object' && <Revoke token={dialog.value} onClose={close} />}
    </section>
  )
}

const Revoke = ({ token: { tokenId, name }, onClose }: { token: Token; onClose: () => void }) => (
  <ConfirmDialog
    title={`Revoke the token ${name ?? 'without a name'}?`}
    action="Revoke the token"
    phrase={null}
    onClose={onClose}
    run={() => api.auth.revokeToken({ tokenId })}
  >
    <p>Programs that use it can no longer call Berth. This cannot be undone; create another token instead.</p>
    <EqualCalls
      operation="auth.revokeToken"
      input={{ tokenId }}
      {...(name === null ? {} : { command: shellLine`berth token rm ${name}` })}
    />
  </ConfirmDialog>
)
