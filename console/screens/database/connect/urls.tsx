/** The URLs of a database, those that verify the server first, and the certificates that they need. */
import { Link } from 'wouter-preact'
import { Button } from '../../../components/button.tsx'
import { download, InlineCopy } from '../../../components/copy.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Secret } from '../../../components/secrets/secret.tsx'
import { State } from '../../../components/state.tsx'
import { useRights } from '../../../data/access/rights.ts'
import { databasePath } from '../../../routes.ts'
import { ActionButtons } from '../actions/action-buttons.tsx'
import { readSecrets, type TabProps } from '../view.ts'
import { caFile } from './programs/address.ts'
import { maskedUrl } from './snippets.ts'
import { isPlainUrlUsable, missingTlsText, tlsState, unverifiedText } from './tls-text.ts'

type UrlName = 'internalUrl' | 'externalUrl' | 'verifiedInternalUrl' | 'verifiedExternalUrl'

export function Urls(props: TabProps) {
  const { record } = props
  const { externalUrl, caCertificate } = record.connection
  return (
    <section class="card" aria-labelledby="urls">
      <h2 id="urls">Connection URLs</h2>
      {record.applicationStatus !== 'done' && (
        <Notice tone="warning">
          <p>
            {record.lastDeployedAt === null
              ? 'No deploy has succeeded so far.'
              : 'The database does not answer at the moment.'}{' '}
            The URLs work when it is up.
          </p>
        </Notice>
      )}
      <MissingTls {...props} />
      <h3>From outside</h3>
      {externalUrl === null ? (
        <p class="muted">{noExternalUrl(record)}</p>
      ) : (
        <Pair {...props} place="external" verified="verifiedExternalUrl" plain="externalUrl" />
      )}
      <h3>From other services on Berth's network</h3>
      <Pair {...props} place="internal" verified="verifiedInternalUrl" plain="internalUrl" />
      {caCertificate !== null && <Authority pem={caCertificate} />}
      <p class="hint">
        The internal URL works in containers that are attached to the Docker network of Berth. Showing a password is
        recorded in the audit log with your account, and it is hidden again when you leave this browser tab.
      </p>
    </section>
  )
}

interface PairProps extends TabProps {
  place: 'external' | 'internal'
  verified: UrlName
  plain: UrlName
}

/** The URL with which the client verifies the server, and the one without. */
function Pair({ place, verified, plain, ...props }: PairProps) {
  const { kind, record } = props
  const state = tlsState(record)
  const isPlainShown = isPlainUrlUsable(kind, state)
  return (
    <>
      {record.connection[verified] !== null && (
        <Url {...props} name={verified} what={`the verified ${place} URL`}>
          <State tone="good">verified</State>
          <span class="muted">The connection is encrypted, and the client verifies the server.</span>
        </Url>
      )}
      {isPlainShown && (
        <Url {...props} name={plain} what={`the ${place} URL`}>
          <State tone={place === 'external' ? 'warning' : 'neutral'}>not verified</State>
          <span class="muted">{unverifiedText(state)}</span>
        </Url>
      )}
      {!isPlainShown && <p class="hint">Without TLS the server refuses every connection.</p>}
    </>
  )
}

function Url({
  name,
  what,
  children,
  ...props
}: TabProps & { name: UrlName; what: string; children: preact.ComponentChildren }) {
  const url = props.record.connection[name] ?? ''
  const why = useRights().whyNot(props.record.projectId, 'developer')
  const read = async () => (await readSecrets(props)).connection[name] ?? ''
  return (
    <div class="stack">
      <p class="small head-facts">{children}</p>
      {/* A URL that has changed is hidden again. */}
      <Secret key={url} what={what} masked={maskedUrl(url)} read={read} unavailable={why} />
    </div>
  )
}

/** Says plainly that nothing is encrypted, and what turns TLS on. */
function MissingTls(props: TabProps) {
  const { record, databaseId } = props
  const state = tlsState(record)
  const text = missingTlsText(state)
  if (text === null || record.lastDeployedAt === null) return null
  return (
    <Notice tone="warning">
      <div class="card-head">
        <p>
          {text} {state === 'off' && <Link href={databasePath(databaseId, 'settings')}>Turn it on under Settings</Link>}
        </p>
        {state === 'waiting' && (
          <span class="buttons">
            <ActionButtons {...props} actions={['deploy']} />
          </span>
        )}
      </div>
    </Notice>
  )
}

/** The file that clients need to verify the server. */
const Authority = ({ pem }: { pem: string }) => (
  <>
    <h3>The file {caFile}</h3>
    <p>
      Clients verify the server with it: copy it to the folder where the client runs. It contains no secret, and it is
      the same for all databases of this installation.
    </p>
    <div class="buttons">
      <Button onClick={() => download(caFile, `${pem.trimEnd()}\n`)}>Download {caFile}</Button>
      <span class="muted small">or, with Berth's command line:</span>
    </div>
    <InlineCopy text={`berth ca > ${caFile}`} what="the command" />
  </>
)

function noExternalUrl({ externalPort }: TabProps['record']): string {
  if (externalPort === null) return 'No external port is open. Open one below to connect from outside the swarm.'
  return `The port ${externalPort} opens with the next deploy.`
}
