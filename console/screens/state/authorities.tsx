/** The certificate authorities of the installation: what clients have to trust, and rotations. */
import { useSignal } from '@preact/signals'
import type { Authority } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { CodeBlock } from '../../components/copy.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { State, type Tone } from '../../components/state.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/live/query.ts'

const purposes: Record<Authority['authority'], string> = {
  engines: 'only for the engine ports of the nodes',
  installation: 'for databases and Berth',
}

type Generation = Authority['generations'][number]

const states: Record<Generation['state'], { tone: Tone; text: string }> = {
  current: { tone: 'good', text: 'signs' },
  next: { tone: 'working', text: 'trusted, will sign' },
  retiring: { tone: 'neutral', text: 'trusted until replaced' },
}

/** What a rotation waits for, in the words of the console. */
const rotationTexts: Record<NonNullable<Authority['rotation']>['reasonCode'], string> = {
  EnginesLackTrust: 'Berth adds the new certificate to the engines of all nodes. Until all have it, the old one signs.',
  ClientsLackTrust: 'Install both certificates on all clients. Until you finish the rotation, the old one signs.',
  OldCertificatesInUse: 'The new one signs. The old one stays trusted until its certificates are replaced.',
}

export function Authorities() {
  const authorities = useQuery('installation.authorities', {})
  const asked = useSignal<Authority | null>(null)
  return (
    <section class="card">
      <h2>Certificate authorities</h2>
      <p class="hint">
        Berth signs certificates itself. One authority is for the engines of nodes alone, so that the key of a database
        opens no engine.
      </p>
      <Loaded query={authorities} what="the authorities">
        {(list) => (
          <>
            {list.map((each) => (
              <AuthorityPart key={each.authority} authority={each} onRotate={() => (asked.value = each)} />
            ))}
          </>
        )}
      </Loaded>
      <Certificates />
      {asked.value !== null && (
        <RotateDialog authority={asked.value} onClose={() => (asked.value = null)} onDone={authorities.reload} />
      )}
    </section>
  )
}

function AuthorityPart({ authority: { authority, generations, rotation }, onRotate }: PartProps) {
  const isFinishable = rotation?.reasonCode === 'ClientsLackTrust'
  return (
    <div class="stack">
      <div class="card-head">
        <h3>
          <code>{authority}</code>, {purposes[authority]}
        </h3>
        {(rotation === null || isFinishable) && (
          <Button small label={`${isFinishable ? 'Finish the rotation of' : 'Rotate'} ${authority}`} onClick={onRotate}>
            {isFinishable ? 'Finish the rotation' : 'Rotate'}
          </Button>
        )}
      </div>
      {rotation !== null && <Notice tone="working">{rotationTexts[rotation.reasonCode]}</Notice>}
      <Table
        caption={`Generations of ${authority}`}
        rows={generations}
        rowKey={({ generation }) => String(generation)}
        columns={[
          { title: 'Generation', cell: ({ generation }) => generation },
          { title: 'State', cell: ({ state }) => <State tone={states[state].tone}>{states[state].text}</State> },
          { title: 'Expires', cell: ({ notAfter }) => <Time at={notAfter} /> },
          { title: 'Fingerprint (SHA-256)', cell: ({ fingerprint256 }) => <code>{fingerprint256}</code> },
        ]}
      />
    </div>
  )
}

interface PartProps {
  authority: Authority
  onRotate: () => void
}

/** The certificates to install on clients. */
function Certificates() {
  const isShown = useSignal(false)
  return isShown.value ? (
    <ShownCertificates />
  ) : (
    <Button small onClick={() => (isShown.value = true)}>
      Show the certificates for clients
    </Button>
  )
}

function ShownCertificates() {
  const ca = useQuery('installation.ca', {})
  return (
    <Loaded query={ca} what="the certificates">
      {({ pem }) => (
        <div class="stack">
          <h3>For clients of databases</h3>
          <CodeBlock what="the certificates" text={pem.trimEnd()} />
          <CodeBlock what="the command" text="berth ca > ca.pem" />
        </div>
      )}
    </Loaded>
  )
}

interface RotateProps {
  authority: Authority
  onClose: () => void
  onDone: () => Promise<void>
}

function RotateDialog({ authority: { authority, rotation }, onClose, onDone }: RotateProps) {
  const finish = rotation !== null
  return (
    <ConfirmDialog
      title={finish ? 'Finish the rotation' : `Rotate ${authority}`}
      action={finish ? 'End the trust in the old certificate' : 'Create a new generation'}
      phrase={finish ? authority : null}
      isDangerous={finish}
      onClose={onClose}
      run={async () => {
        await api.installation.rotateAuthority({ authority, finish })
        await onDone()
      }}
    >
      {finish ? (
        <p>
          The new certificate signs from now on. Clients that trust only the old certificate will refuse connections to
          databases with new certificates.
        </p>
      ) : (
        <p>
          Berth creates a new key and a new certificate, which is trusted at once. The present one signs until{' '}
          {authority === 'engines' ? 'the engines of all nodes trust the new one.' : 'you finish the rotation.'}
        </p>
      )}
    </ConfirmDialog>
  )
}
