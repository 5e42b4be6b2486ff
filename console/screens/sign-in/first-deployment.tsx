/** Follows the first deployment until the database is up, then shows how to connect. */
import { Button } from '../../components/button.tsx'
import { Loaded, Loading } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { Secret } from '../../components/secrets/secret.tsx'
import { Duration, useElapsed } from '../../components/time.tsx'
import { type DatabaseRecord, idInput, type Kind } from '../../data/kinds.ts'
import { api } from '../../data/api.ts'
import type { Deployment } from '../../data/lists/work.ts'
import type { Query } from '../../data/live/query.ts'
import { useOnce } from '../../data/use-once.ts'
import { databasePath } from '../../routes.ts'
import { useDeployments } from '../database/view.ts'
import { FirstCorrection } from './first-correction.tsx'

export interface FirstDeploymentProps {
  kind: Kind
  databaseId: string
  /** Goes to another screen. */
  onDone: (path: string) => void
}

/** The newest deployment of the database. */
export const useFirstDeployment = (databaseId: string): Query<Deployment[]> => useDeployments(databaseId, 1)

export function FirstDeployment({ kind, databaseId, onDone }: FirstDeploymentProps) {
  const deployments = useFirstDeployment(databaseId)
  const hasFailed = ['error', 'superseded'].includes(deployments.data.value?.[0]?.state ?? '')
  return (
    <>
      <Loaded query={deployments} what="the deployment">
        {([deployment]) => {
          if (deployment === undefined) return <Loading what="the deployment" />
          const { deploymentId, state } = deployment
          if (state === 'running') return <InProgress deployment={deployment} />
          if (state === 'done') return <Succeeded kind={kind} databaseId={databaseId} deployment={deployment} />
          return <FirstCorrection key={deploymentId} kind={kind} databaseId={databaseId} deployment={deployment} />
        }}
      </Loaded>
      <div class="buttons">
        <Button kind={hasFailed ? 'usual' : 'primary'} onClick={() => onDone('/')}>
          Go to the overview
        </Button>
        <Button onClick={() => onDone(databasePath(databaseId, hasFailed ? 'state' : undefined))}>
          Open the database
        </Button>
      </div>
    </>
  )
}

function InProgress({ deployment: { reason, startedAt } }: { deployment: Deployment }) {
  const elapsed = useElapsed(startedAt)
  return (
    <div class="stack">
      <Progress
        phase={reason ?? 'Fetching the image and starting the database'}
        part={null}
        {...(elapsed === null ? {} : { detail: `for ${elapsed}` })}
      />
      <p class="muted">The work goes on when you leave this page.</p>
    </div>
  )
}

const Succeeded = ({
  kind,
  databaseId,
  deployment,
}: Omit<FirstDeploymentProps, 'onDone'> & { deployment: Deployment }) => (
  <>
    <Notice tone="good" announce>
      <strong>The database is up.</strong> It took <Duration from={deployment.startedAt} to={deployment.finishedAt} />.
      Berth has signed in to it.
    </Notice>
    <Connection kind={kind} databaseId={databaseId} />
  </>
)

const readUrls = async (kind: Kind, databaseId: string, options: { masked: boolean }) =>
  ((await api.call(`${kind}.one` as string, { ...idInput(kind, databaseId), ...options })) as DatabaseRecord).connection

function Connection({ kind, databaseId }: { kind: Kind; databaseId: string }) {
  const urls = useOnce(() => readUrls(kind, databaseId, { masked: true }))
  const read = async (name: 'internalUrl' | 'externalUrl') =>
    (await readUrls(kind, databaseId, { masked: false }))[name] ?? ''
  return (
    <Loaded query={urls} what="the connection">
      {({ internalUrl, externalUrl }) => (
        <div class="stack">
          <h2>Connection strings</h2>
          <p class="muted">
            They contain the password that Berth has made. Each time you show it, the audit log says so.
          </p>
          <h3>For applications in the swarm</h3>
          <Secret what="the internal URL" masked={internalUrl} read={() => read('internalUrl')} />
          <p class="hint">
            They must be on Berth's network: <code>docker service update --network-add berth NAME</code> adds one.
          </p>
          <h3>From elsewhere</h3>
          {externalUrl === null ? (
            <p class="muted">Not reachable. To open a port, go to the database and its tab Connect.</p>
          ) : (
            <Secret what="the external URL" masked={externalUrl} read={() => read('externalUrl')} />
          )}
        </div>
      )}
    </Loaded>
  )
}
