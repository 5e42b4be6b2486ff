/** What is known of certificates, as it is kept: JSON, with times as text. */
import type { Described } from './certificate.ts'

type Kept = Omit<Described, 'notBefore' | 'notAfter'> & { notBefore: string; notAfter: string }

export function describedFrom(text: string): Described[] {
  return (JSON.parse(text) as Kept[]).map((it) => ({
    ...it,
    notBefore: new Date(it.notBefore),
    notAfter: new Date(it.notAfter),
  }))
}
