/** The tab Connect of a database: its URLs, programs to copy, and the external port. */
import { Secret } from '../../../components/secrets/secret.tsx'
import { Notice } from '../../../components/notice.tsx'
import { readSecrets, type TabProps } from '../view.ts'
import { ExternalPort } from './external-port.tsx'
import { Snippets } from './snippet-list.tsx'
import { maskedUrl } from './snippets.ts'

export function ConnectTab(props: TabProps) {
  return (
    <>
      <Urls {...props} />
      <Snippets {...props} />
      <ExternalPort {...props} />
    </>
  )
}

function Urls(props: TabProps) {
  const { record } = props
  const { internalUrl, externalUrl } = record.connection
  const read = async (name: 'internalUrl' | 'externalUrl') => (await readSecrets(props)).connection[name] ?? ''
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
      {/* A URL that has changed is hidden again. */}
      <h3>From outside</h3>
      {externalUrl === null ? (
        <p class="muted">{noExternalUrl(record)}</p>
      ) : (
        <Secret
          key={`external ${externalUrl}`}
          what="the external URL"
          masked={maskedUrl(externalUrl)}
          read={() => read('externalUrl')}
        />
      )}
      <h3>From other services on Berth's network</h3>
      <Secret
        key={`internal ${internalUrl}`}
        what="the internal URL"
        masked={maskedUrl(internalUrl)}
        read={() => read('internalUrl')}
      />
      <p class="hint">
        The internal URL works in containers that are attached to the Docker network of Berth. Showing a password is
        recorded in the audit log with your account, and it is hidden again when you leave this browser tab.
      </p>
    </section>
  )
}

function noExternalUrl({ externalPort }: TabProps['record']): string {
  if (externalPort === null) return 'No external port is open. Open one below to connect from outside the swarm.'
  return `The port ${externalPort} opens with the next deploy.`
}
