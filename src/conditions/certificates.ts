/** The conditions of certificates: uploaded ones, those that the proxy obtains by ACME, and Berth's authorities. Pure. */
import type { AuthorityTable } from '../authority/table.ts'
import { renewFrom } from '../routing/caddy/certificate.ts'
import { describedFrom } from '../routing/caddy/described.ts'
import type { CertificateTable, IssuanceTable } from '../routing/table.ts'
import type { PublicCertificate } from '../routing/public/certificate.ts'
import { type Finding, installation, type Subject } from './finding.ts'
import type { CertificateReason } from './reason.ts'
import type { ConditionName, Severity } from './table.ts'

const dayMs = 24 * 3600_000
/** How long before its end a certificate needs attention. */
const warningMs = 14 * dayMs
/** A certificate that Berth renews needs attention when half of the time for the renewal has passed. */
const renewalShare = 6
/** The time in which the first attempts at a renewal may fail. */
const renewalGraceMs = dayMs

/** How long before its end an authority needs attention: clients need time to install its next certificate. */
const authorityWarningMs = 90 * dayMs

export type CertificateFact = Pick<CertificateTable, 'id' | 'name' | 'autoRenew' | 'described'>

export function certificateFindings(
  certificates: readonly CertificateFact[],
  issuances: readonly IssuanceTable[],
  now: Date,
): Finding[] {
  const uploaded = certificates.map((row) => ({ ...row, described: describedFrom(row.described) }))
  const names = new Set(uploaded.flatMap(({ described }) => described.flatMap((each) => each.names)))
  return [
    ...uploaded.flatMap((row) => [...expiryOf(row, now), ...renewalFailure(row, issuances, now)]),
    ...issuances.filter(({ name }) => !names.has(name)).flatMap((row) => issuanceFindings(row, now)),
  ]
}

/**
 * The conditions of the certificate of Berth's public URL that are not those of an uploaded or an automatic one.
 * @param certificate null without a public URL
 */
export function publicUrlFindings(certificate: PublicCertificate | null, now: Date): Finding[] {
  if (certificate === null) return []
  const { host, source, notAfter, error } = certificate
  const subject: Subject = { kind: 'hostName', id: host, name: host }
  if (source === 'internal' && notAfter !== null) return expiryFindings(subject, notAfter, warningMs, now)
  // A failed attempt at ACME is a condition of the host name.
  if (notAfter !== null || error !== null) return []
  return [
    {
      name: 'PublicUrlDown',
      severity: 'critical',
      subject: installation,
      projectId: null,
      since: null,
      reason: { reason: 'PublicCertificateMissing', host, source },
    },
  ]
}

/** The conditions of Berth's own authorities. @param authorities the generations that sign */
export const authorityFindings = (
  authorities: readonly Pick<AuthorityTable, 'name' | 'notAfter'>[],
  now: Date,
): Finding[] =>
  authorities.flatMap(({ name, notAfter }) => {
    const from = new Date(Date.parse(notAfter) - authorityWarningMs)
    if (from > now) return []
    const isExpired = new Date(notAfter) <= now
    return {
      name: 'AuthorityExpiring',
      severity: isExpired ? 'critical' : 'warning',
      subject: { kind: 'authority', id: name, name },
      projectId: null,
      since: from.toISOString(),
      reason: { reason: isExpired ? 'AuthorityExpired' : 'AuthorityExpires', authority: name, notAfter },
    }
  })

type Uploaded = Omit<CertificateFact, 'described'> & { described: ReturnType<typeof describedFrom> }

const finding = (
  name: ConditionName,
  severity: Severity,
  subject: Subject,
  since: Date | null,
  reason: CertificateReason,
): Finding => ({ name, severity, subject, projectId: null, since: since?.toISOString() ?? null, reason })

const subjectOf = ({ id, name }: Uploaded): Subject => ({ kind: 'certificate', id, name })

function expiryOf(row: Uploaded, now: Date): Finding[] {
  const { notBefore, notAfter } = row.described.toSorted((a, b) => a.notAfter.getTime() - b.notAfter.getTime())[0]!
  const share = Math.floor((notAfter.getTime() - notBefore.getTime()) / renewalShare)
  return expiryFindings(subjectOf(row), notAfter, row.autoRenew === 1 ? Math.min(warningMs, share) : warningMs, now)
}

function expiryFindings(subject: Subject, notAfter: Date, beforeMs: number, now: Date): Finding[] {
  const from = new Date(notAfter.getTime() - beforeMs)
  if (from > now) return []
  const at = notAfter.toISOString()
  return [
    notAfter > now
      ? finding('CertificateExpiring', 'warning', subject, from, { reason: 'CertificateExpires', notAfter: at })
      : finding('CertificateExpiring', 'critical', subject, from, { reason: 'CertificateExpired', notAfter: at }),
  ]
}

/** The last failure of a renewal that should have succeeded by now. */
function renewalFailure(row: Uploaded, issuances: readonly IssuanceTable[], now: Date): Finding[] {
  if (row.autoRenew === 0) return []
  const latest = new Date(now.getTime() - renewalGraceMs)
  const due = row.described.filter(({ notBefore, notAfter }) => renewFrom(notBefore, notAfter) <= latest)
  const names = due.flatMap((each) => each.names)
  const failed = issuances.find(({ name, error }) => error !== null && names.includes(name))
  if (failed === undefined) return []
  const reason = { reason: 'RenewalFailed', host: failed.name, detail: failed.error! } as const
  return [finding('CertificateNotRenewable', 'warning', subjectOf(row), null, reason)]
}

/** The conditions of a name that the proxy obtains a certificate for. */
function issuanceFindings({ name, error, notAfter }: IssuanceTable, now: Date): Finding[] {
  const subject: Subject = { kind: 'hostName', id: name, name }
  const expiry = notAfter === null ? [] : expiryFindings(subject, new Date(notAfter), warningMs, now)
  if (error === null) return expiry
  // Without a valid certificate the name is not served by HTTPS.
  const severity = notAfter !== null && new Date(notAfter) > now ? 'warning' : 'critical'
  const reason = { reason: 'RenewalFailed', host: name, detail: error } as const
  return [...expiry, finding('CertificateNotRenewable', severity, subject, null, reason)]
}
