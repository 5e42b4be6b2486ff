/** Everything about one certificate. Its key is never shown. */
import { Dialog } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { State } from '../../components/state.tsx'
import { Time, TimeOr } from '../../components/time.tsx'
import { useQuery } from '../../data/live/query.ts'
import { Expiry, Renewal } from './certificates.tsx'

export function Details({ certificateId, onClose }: { certificateId: string; onClose: () => void }) {
  const record = useQuery('certificates.one', { certificateId })
  return (
    <Dialog title="Certificate" onClose={onClose}>
      <Loaded query={record} what="the certificate">
        {(certificate) => (
          <dl class="facts">
            <dt>Name</dt>
            <dd>{certificate.name}</dd>
            <dt>Hosts</dt>
            <dd>{certificate.names.join(', ')}</dd>
            <dt>Expires</dt>
            <dd>
              <Expiry notAfter={certificate.notAfter} daysLeft={certificate.daysLeft} />
            </dd>
            <dt>Valid from</dt>
            <dd>
              <Time at={certificate.notBefore} />
            </dd>
            <dt>Renewal</dt>
            <dd>
              <Renewal certificate={certificate} />
            </dd>
            <dt>Renewed</dt>
            <dd>
              <TimeOr at={certificate.renewedAt} none="never" />
            </dd>
            <dt>Subject</dt>
            <dd>{certificate.subject}</dd>
            <dt>Signed by</dt>
            <dd>
              {certificate.issuer}
              {certificate.missingIssuer !== null && (
                <>
                  <State tone="warning">incomplete</State>
                  <div class="small">
                    The certificate of {certificate.missingIssuer} is missing, so many clients refuse this one. Upload
                    the full chain.
                  </div>
                </>
              )}
            </dd>
            <dt>Key</dt>
            <dd>{certificate.keyType}</dd>
            <dt>Serial number</dt>
            <dd>
              <code>{certificate.serialNumber}</code>
            </dd>
            <dt>Fingerprint</dt>
            <dd>
              <code>{certificate.fingerprint256}</code>
            </dd>
          </dl>
        )}
      </Loaded>
    </Dialog>
  )
}
