/** One registry: its address, the state of an own one, and its images. */
import { useSignal } from '@preact/signals'
import type { Registry } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { State, WorkState } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'
import { useQuery } from '../../data/live/query.ts'
import { Images } from './images.tsx'

export type RegistryAction = 'edit' | 'clean' | 'remove'

interface Props {
  registry: Registry
  /** Why the account cannot change registries; null: it can. */
  unavailable: string | null
  onAction: (action: RegistryAction) => void
}

export function RegistryCard({ registry, unavailable, onAction }: Props) {
  const { registryName, host, username, imagePrefix, insecure, server } = registry
  const isOpen = useSignal(false)
  return (
    <section class="card" aria-label={`Registry ${registryName}`}>
      <div class="card-head">
        <h2>{registryName}</h2>
        {server !== null && <ServerState server={server} />}
      </div>
      {server !== null && <ServerNotice server={server} />}
      <dl class="facts">
        <dt>Host</dt>
        <dd>
          <code>{host}</code>
        </dd>
        <dt>Kind</dt>
        <dd>{server === null ? kindWords[registry.registryType] : 'Berth runs it'}</dd>
        <dt>User</dt>
        <dd>{username}</dd>
        {imagePrefix !== null && (
          <>
            <dt>Prefix of images</dt>
            <dd>
              <code>{imagePrefix}</code>
            </dd>
          </>
        )}
        {insecure && (
          <>
            <dt>Certificate</dt>
            <dd>
              <State tone="warning">any certificate is accepted</State>
            </dd>
          </>
        )}
        {server !== null && <ServerFacts registry={registry} />}
      </dl>
      <div class="buttons">
        <Button small onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? 'Hide the images' : 'Show the images'}
        </Button>
        {server === null ? (
          <Button small unavailable={unavailable} onClick={() => onAction('edit')}>
            Edit or test
          </Button>
        ) : (
          <Button small unavailable={unavailable} onClick={() => onAction('clean')}>
            Delete unused data
          </Button>
        )}
        <Button small kind="danger" unavailable={unavailable} onClick={() => onAction('remove')}>
          Remove
        </Button>
      </div>
      {isOpen.value && <Images registry={registry} />}
    </section>
  )
}

const kindWords = { selfHosted: 'on machines of your own', cloud: 'at a provider' }

type Server = NonNullable<Registry['server']>

function ServerState({ server: { status } }: { server: Server }) {
  if (status === 'running') return <State tone="working">working</State>
  return status === 'done' ? <State tone="good">up</State> : <State tone="critical">down</State>
}

function ServerNotice({ server: { status, statusReason, readOnly } }: { server: Server }) {
  return (
    <>
      {status === 'error' && (
        <Notice tone="critical">
          <p>{statusReason ?? 'The registry does not work.'}</p>
        </Notice>
      )}
      {status === 'running' && <Progress phase={statusReason ?? 'Berth is working on the registry'} part={null} />}
      {readOnly && (
        <Notice tone="working">
          <p>Unused data is being deleted. The registry refuses pushes meanwhile, and serves pulls.</p>
        </Notice>
      )}
    </>
  )
}

function ServerFacts({ registry: { registryId, server } }: { registry: Registry }) {
  const last = useQuery('deployment.all', { serviceId: registryId, order: 'desc', limit: 1 }).data.value?.[0]
  const { node, port } = server!
  return (
    <>
      <dt>Served by</dt>
      <dd>{port === null ? 'the proxy, with TLS' : `port ${port} of ${node ?? 'the node'}, without TLS`}</dd>
      {last !== undefined && (
        <>
          <dt>Last work</dt>
          <dd>
            <WorkState state={last.state} /> <Time at={last.startedAt} />
            {last.reason !== null && <div>{last.reason}</div>}
          </dd>
        </>
      )}
    </>
  )
}
