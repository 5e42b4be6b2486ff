/** Decides when the certificate of a database is replaced. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { fromJson } from '../../lib/json.ts'
import type { DatabaseCertificateTable } from './table.ts'

/** How long certificates of databases are valid. */
export const validDays = 90
/** A certificate is replaced when this part of its time is left. */
const renewalShare = 3

/** Why a certificate has to be replaced. `NotYetValid`: it was issued while the clock was ahead; clients refuse it. */
export type RenewalCause = 'NotYetValid' | 'Ending' | 'NamesChanged' | 'AuthorityRotated'

type Certificate = Pick<DatabaseCertificateTable, 'generation' | 'names' | 'notBefore' | 'notAfter'>

/**
 * Returns why the certificate has to be replaced; null if it can stay.
 * @param names the names that the certificate should have
 * @param generation the generation of the authority that signs now
 */
export function renewalCause(
  certificate: Certificate,
  names: readonly string[],
  generation: number,
  now: Date,
): RenewalCause | null {
  if (isNotYetValid(certificate, now)) return 'NotYetValid'
  if (renewFrom(certificate) <= now) return 'Ending'
  if (certificate.generation !== generation) return 'AuthorityRotated'
  return isDeepStrictEqual(fromJson(certificate.names), names) ? null : 'NamesChanged'
}

/**
 * Whether the validity begins later. Certificates begin ten minutes before they are issued, so this needs no tolerance
 * for small changes of the clock.
 */
const isNotYetValid = ({ notBefore }: Pick<Certificate, 'notBefore'>, now: Date): boolean =>
  Date.parse(notBefore) > now.getTime()

/** Whether clients that verify the certificate refuse it because of the present time. */
export const isOutsideValidity = (certificate: Pick<Certificate, 'notBefore' | 'notAfter'>, now: Date): boolean =>
  isNotYetValid(certificate, now) || Date.parse(certificate.notAfter) <= now.getTime()

/** Returns from when on a certificate is replaced because of its end. */
export function renewFrom({ notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>): Date {
  const [from, to] = [Date.parse(notBefore), Date.parse(notAfter)]
  return new Date(to - Math.floor((to - from) / renewalShare))
}
