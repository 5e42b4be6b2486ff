/** The certificate of a database: what it proves, until when, and whether the server presents it. */
import { ReasonText } from '../../../components/reason-text.tsx'
import { State } from '../../../components/state.tsx'
import { Time, TimeOr } from '../../../components/time.tsx'
import { now } from '../../../data/clock.ts'
import { countText } from '../../../data/format.ts'
import { tlsModes } from '../../../data/forms/tls-modes.ts'
import { dateText, daysUntil, expiryTone } from '../../certificates/expiry.ts'
import { ActionButtons } from '../actions/action-buttons.tsx'
import type { TabProps } from '../view.ts'
import { certificateState, plainConnectionsState } from './certificate-text.ts'

export function CertificateCard(props: TabProps) {
  const { record } = props
  const { certificate } = record
  const { tone, word, text } = certificateState(record)
  return (
    <section class="card" aria-labelledby="tls">
      <div class="card-head">
        <h2 id="tls">TLS</h2>
        <State tone={tone}>{word}</State>
      </div>
      <p>{text}</p>
      {certificate !== null && certificate.reason !== null && <ReasonText text={certificate.reason} />}
      {certificate !== null && <Facts record={record} certificate={certificate} />}
      {(tone === 'warning' || tone === 'critical') && (
        <div class="buttons">
          <ActionButtons {...props} actions={['deploy']} />
        </div>
      )}
    </section>
  )
}

function Facts({
  record,
  certificate,
}: Pick<TabProps, 'record'> & { certificate: NonNullable<TabProps['record']['certificate']> }) {
  const { names, notBefore, notAfter, fingerprint256, servedSince } = certificate
  const daysLeft = daysUntil(notAfter, now.value)
  const plain = plainConnectionsState(record)
  return (
    <dl class="facts">
      <dt>Connections with TLS</dt>
      <dd>{tlsModes[record.tls]}</dd>
      {plain !== null && (
        <>
          <dt>Connected without TLS</dt>
          <dd>
            <State tone={plain.tone}>{plain.text}</State>
          </dd>
        </>
      )}
      <dt>Expires</dt>
      <dd class="head-facts">
        <State tone={expiryTone(daysLeft)}>{daysLeft < 0 ? 'expired' : `${countText(daysLeft, 'day')} left`}</State>
        <span class="muted">on {dateText(Date.parse(notAfter))}</span>
      </dd>
      <dt>Issued</dt>
      <dd>
        <Time at={notBefore} />
      </dd>
      <dt>Served since</dt>
      <dd>
        <TimeOr at={servedSince} none="not yet" />
      </dd>
      <dt>Names</dt>
      <dd>
        <ul class="name-list">
          {names.map((name) => (
            <li key={name}>
              <code>{name}</code>
            </li>
          ))}
        </ul>
      </dd>
      <dt>Fingerprint (SHA-256)</dt>
      <dd>
        <code class="digest">{fingerprint256}</code>
      </dd>
    </dl>
  )
}
