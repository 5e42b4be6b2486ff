/** Follows the first deployment until the database is up, then shows how to connect. */
import { Button } from '../../components/button.tsx'
import { Loaded, Loading } from '../../components/loaded.tsx'
import { ErrorNotice, Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { Secret } from '../../components/secrets/secret.tsx'
import { Duration } from '../../components/time.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { useForm } from '../../data/forms/form.ts'
import { callDatabase, type DatabaseRecord, idInput, type Kind } from '../../data/kinds.ts'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/live/query.ts'
import { useOnce } from '../../data/use-once.ts'
import { databasePath } from '../../routes.ts'

interface Props {
  kind: Kind
  databaseId: string
  /** Goes to another screen. */
  onDone: (path: string) => void
}

export function FirstDeployment({ kind, databaseId, onDone }: Props) {
  const deployments = useQuery(
    'deployment.all',
    { serviceId: databaseId, order: 'desc', limit: 1 },
    { kinds: ['deployment'] },
  )
  return (
    <>
      <Loaded query={deployments} what="the deployment">
        {([deployment]) => {
          if (deployment === undefined) return <Loading what="the deployment" />
          const { state, reason, startedAt, finishedAt } = deployment
          if (state === 'running') {
            return (
              <div class="stack">
                <Progress phase={reason ?? 'Fetching the image and starting the database'} part={null} />
                <p class="muted">
                  For <Duration from={startedAt} to={null} /> now. The work goes on when you leave this page.
                </p>
              </div>
            )
          }
          if (state === 'done') {
            return (
              <>
                <Notice tone="good" announce>
                  <strong>The database is up.</strong> It took <Duration from={startedAt} to={finishedAt} />. Berth has
                  signed in to it.
                </Notice>
                <Connection kind={kind} databaseId={databaseId} />
              </>
            )
          }
          return <Failed kind={kind} databaseId={databaseId} reason={reason} />
        }}
      </Loaded>
      <div class="buttons">
        <Button kind="primary" onClick={() => onDone('/')}>
          Go to the overview
        </Button>
        <Button onClick={() => onDone(databasePath(databaseId))}>Open the database</Button>
      </div>
    </>
  )
}

function Failed({ kind, databaseId, reason }: { kind: Kind; databaseId: string; reason: string | null }) {
  const form = useForm({})
  return (
    <>
      <ErrorNotice error={new Error(reason ?? 'The database did not start.')}>
        <p>If the image is wrong, change it under Settings of the database. Otherwise mend the cause and try again.</p>
      </ErrorNotice>
      <FormBox form={form} submit="Try again" onSubmit={() => callDatabase(kind, 'deploy', databaseId)}>
        {null}
      </FormBox>
    </>
  )
}

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
