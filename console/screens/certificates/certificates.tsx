/** Certificates: uploaded ones, and those that the proxy obtains by ACME. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import type { Certificates, Operations } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Empty, Page } from '../../components/page.tsx'
import { State } from '../../components/state.tsx'
import { Table } from '../../components/table.tsx'
import { Time, TimeOr } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { now } from '../../data/clock.ts'
import { countText, exactText } from '../../data/format.ts'
import { useQuery } from '../../data/live/query.ts'
import { isAdmin } from '../../data/session.ts'
import { dateText, daysUntil, expiryTone } from './expiry.ts'
import { Details } from './details.tsx'
import { NewCertificate } from './new-certificate.tsx'
import { shellLine } from '../../../shared/shell-word.ts'

export default function CertificatesScreen() {
  const certificates = useQuery('certificates.all', {})
  const opened = useSignal<'new' | { removed: Certificates } | { shown: string } | null>(null)
  const unavailable = isAdmin() ? null : 'Only administrators can change certificates'
  const close = () => (opened.value = null)
  const present = opened.value
  return (
    <Page
      title="Certificates"
      sub="With a certificate, the proxy serves a host over HTTPS."
      actions={
        <Button kind="primary" unavailable={unavailable} onClick={() => (opened.value = 'new')}>
          Add a certificate
        </Button>
      }
    >
      <section class="stack">
        <h2>Uploaded</h2>
        <Loaded query={certificates} what="the certificates">
          {(all) =>
            all.length === 0 ? (
              <Empty title="No certificate was uploaded">
                Upload one for names of your own authority, or for a wildcard such as *.example.org. For other hosts,
                the label berth.tls=auto of a service is enough.
              </Empty>
            ) : (
              <CertificateTable
                certificates={all.toSorted((a, b) => a.daysLeft - b.daysLeft)}
                unavailable={unavailable}
                onShow={(shown) => (opened.value = { shown })}
                onRemove={(removed) => (opened.value = { removed })}
              />
            )
          }
        </Loaded>
      </section>
      <Automatic />
      {present === 'new' && <NewCertificate onClose={close} />}
      {present !== null && typeof present === 'object' && 'removed' in present && (
        <RemoveCertificate certificate={present.removed} onClose={close} />
      )}
      {present !== null && typeof present === 'object' && 'shown' in present && (
        <Details certificateId={present.shown} onClose={close} />
      )}
    </Page>
  )
}

interface TableProps {
  certificates: Certificates[]
  unavailable: string | null
  onShow: (certificateId: string) => void
  onRemove: (certificate: Certificates) => void
}

const CertificateTable = ({ certificates, unavailable, onShow, onRemove }: TableProps) => (
  <Table
    caption="Uploaded certificates"
    columns={[
      { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
      { title: 'Hosts', cell: ({ names }) => names.join(', ') },
      { title: 'Expires', cell: ({ notAfter, daysLeft }) => <Expiry notAfter={notAfter} daysLeft={daysLeft} /> },
      { title: 'Renewal', cell: (certificate) => <Renewal certificate={certificate} /> },
    ]}
    rows={certificates}
    rowKey={({ certificateId }) => certificateId}
    actions={(certificate) => (
      <span class="buttons">
        <Button small onClick={() => onShow(certificate.certificateId)}>
          Details
        </Button>
        <Button small kind="danger" unavailable={unavailable} onClick={() => onRemove(certificate)}>
          Remove
        </Button>
      </span>
    )}
  />
)

export function Expiry({ notAfter, daysLeft }: { notAfter: string; daysLeft: number }) {
  const text = daysLeft < 0 ? 'expired' : `${countText(daysLeft, 'day')} left`
  return (
    <>
      <State tone={expiryTone(daysLeft)}>{text}</State>
      <div class="small muted">
        <time dateTime={notAfter} title={exactText(Date.parse(notAfter))}>
          {dateText(Date.parse(notAfter))}
        </time>
      </div>
    </>
  )
}

export function Renewal({ certificate: { autoRenew, renewsAt, renewal } }: { certificate: Certificates }) {
  if (!autoRenew) return <span class="muted">by hand: add a new one</span>
  if (renewal === null) return <>by itself {renewsAt !== null && <Time at={renewsAt} />}</>
  return (
    <>
      <State tone="critical">failed</State>
      <div class="small">{renewal.error}</div>
      <div class="small muted">
        Next attempt: <TimeOr at={renewal.nextTryAt} none="not planned" />
      </div>
    </>
  )
}

type Issuance = Awaited<ReturnType<Operations['application']['all']>>[number]['issuances'][number]
type Row = Issuance & { applicationId: string; application: string }

function Automatic() {
  const applications = useQuery('application.all', {})
  return (
    <section class="stack">
      <h2>Obtained by the proxy</h2>
      <p class="muted">
        For hosts of services with the label berth.tls=auto, the proxy obtains and renews certificates by ACME, the
        protocol of Let's Encrypt.
      </p>
      <Loaded query={applications} what="the certificates by ACME">
        {(all) => {
          const rows = all.flatMap(({ applicationId, name, issuances }) =>
            issuances.map((issuance): Row => ({ ...issuance, applicationId, application: name })),
          )
          return rows.length === 0 ? (
            <Empty title="The proxy obtains no certificates now">
              {all.some(({ tls }) => tls === 'auto')
                ? 'A service has the label berth.tls=auto, but the proxy does not serve it. Routing says why.'
                : 'No service has the label berth.tls=auto.'}
            </Empty>
          ) : (
            <AutomaticTable rows={rows} />
          )
        }}
      </Loaded>
    </section>
  )
}

const AutomaticTable = ({ rows }: { rows: Row[] }) => (
  <Table
    caption="Certificates by ACME"
    columns={[
      { title: 'Host', cell: ({ name }) => name },
      {
        title: 'Application',
        cell: ({ applicationId, application }) => <Link href={`/applications/${applicationId}`}>{application}</Link>,
      },
      {
        title: 'Expires',
        cell: ({ notAfter }) =>
          notAfter === null ? (
            <State tone="working">not there yet</State>
          ) : (
            <Expiry notAfter={notAfter} daysLeft={daysUntil(notAfter, now.value)} />
          ),
      },
      {
        title: 'Last failure',
        cell: ({ error, nextTryAt }) =>
          error === null ? (
            <span class="muted">none</span>
          ) : (
            <>
              <State tone="critical">failed</State>
              <div class="small">{error}</div>
              <div class="small muted">
                Next attempt: <TimeOr at={nextTryAt} none="not planned" />
              </div>
            </>
          ),
      },
    ]}
    rows={rows}
    rowKey={({ applicationId, name }) => `${applicationId} ${name}`}
  />
)

function RemoveCertificate({ certificate, onClose }: { certificate: Certificates; onClose: () => void }) {
  const { certificateId, name, names } = certificate
  return (
    <ConfirmDialog
      title={`Remove the certificate ${name}`}
      action="Remove the certificate"
      phrase={name}
      onClose={onClose}
      run={() => api.certificates.remove({ certificateId })}
    >
      <p>
        The proxy stops serving it at once. These names have no HTTPS then, unless another certificate covers them:{' '}
        {names.join(', ')}.
      </p>
      <p>Berth deletes the private key. Keep a copy if you need it elsewhere.</p>
      <EqualCalls
        operation="certificates.remove"
        input={{ certificateId }}
        command={shellLine`berth certificate rm ${name}`}
      />
    </ConfirmDialog>
  )
}
