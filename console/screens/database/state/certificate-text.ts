/** The certificate of a database in words: its state, and what to do about it. Pure. */
import type { Tone } from '../../../components/state.tsx'
import type { DatabaseRecord } from '../../../data/kinds.ts'
import { tlsState } from '../connect/tls-text.ts'

type Facts = Pick<
  DatabaseRecord,
  'tls' | 'pendingChanges' | 'connection' | 'certificate' | 'applicationStatus' | 'lastDeployedAt'
>
type Certificate = NonNullable<DatabaseRecord['certificate']>

export interface CertificateState {
  tone: Tone
  word: string
  /** What the state means. */
  text: string
}

/** The state of TLS of a database. */
export function certificateState(record: Facts): CertificateState {
  const { certificate, applicationStatus, lastDeployedAt } = record
  const state = tlsState(record)
  if (state === 'off') return { tone: 'neutral', word: 'off', text: 'TLS is off. Connections are not encrypted.' }
  if (lastDeployedAt === null) {
    return { tone: 'neutral', word: 'not yet', text: 'The first deploy makes the certificate.' }
  }
  if (state === 'waiting') {
    return {
      tone: 'warning',
      word: 'waits for a deploy',
      text: 'The next deploy makes the certificate and turns on TLS.',
    }
  }
  if (certificate === null) return { tone: 'working', word: 'in progress', text: 'Berth is making the certificate.' }
  if (certificate.reasonCode !== null)
    return { tone: 'critical', word: 'not replaced', text: advice[certificate.reasonCode] }
  if (certificate.waitsForDeploy) {
    return {
      tone: 'warning',
      word: 'waits for a deploy',
      text: 'This server reads its certificate only when it starts. A deploy, which restarts it, gives it the new one.',
    }
  }
  if (applicationStatus === 'idle') {
    return { tone: 'neutral', word: 'stopped', text: 'The server presents the certificate when it is started.' }
  }
  if (certificate.servedSince === null) {
    return {
      tone: 'working',
      word: 'in progress',
      text: 'The server has not presented this certificate to Berth so far.',
    }
  }
  if (applicationStatus === 'error') {
    return {
      tone: 'neutral',
      word: 'down',
      text: 'The server presents this certificate when the database is up again.',
    }
  }
  return { tone: 'good', word: 'served', text: 'The server presents this certificate. Berth renews it by itself.' }
}

const advice: Record<NonNullable<Certificate['reasonCode']>, string> = {
  CertificateRefused: 'The server goes on with its former certificate. Read the end of its log, then deploy.',
  CertificateNotReplaced: 'Berth tries again by itself. A deploy also replaces the certificate.',
  CertificateUnknown: 'Berth tries again by itself. If this stays, see whether the server answers.',
}

/** The connections without TLS, as a state; null if they are unknown or none is possible. */
export function plainConnectionsState({ tls, certificate }: Facts): { tone: Tone; text: string } | null {
  const count = certificate?.plainConnections ?? null
  if (count === null) return null
  if (count > 0) return { tone: 'warning', text: count === 1 ? '1 client' : `${count} clients` }
  return { tone: 'good', text: tls === 'require' ? 'none, the server refuses them' : 'none at present' }
}
