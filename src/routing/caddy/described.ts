/** Parses stored descriptions of certificates: JSON, with times as text. */
import type { Described } from './certificate.ts'

type StoredDescription = Omit<Described, 'notBefore' | 'notAfter'> & { notBefore: string; notAfter: string }

export function describedFrom(text: string): Described[] {
  return (JSON.parse(text) as StoredDescription[]).map((stored) => ({
    ...stored,
    notBefore: new Date(stored.notBefore),
    notAfter: new Date(stored.notAfter),
  }))
}
