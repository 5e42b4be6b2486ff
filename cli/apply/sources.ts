/** Lists of allowed sources in files of `berth apply`, and their comparison with those of records. Pure. */
import { isIPv4, isIPv6 } from 'node:net'
import { z } from 'zod'
import type { Change } from './step.ts'

/** The words of files for an empty list, and for the list of the project. */
const everyone = 'everyone'
const project = 'project'

/** Null stands for the list of the project, an empty list for everyone. */
type Sources = string[] | null
/** What a file says about a list; null if the file leaves it out. */
export type SourcesSpec = { sources: Sources } | null

const maxSources = 1000

function listWith(words: readonly string[]) {
  const Entry = z
    .string()
    .refine(
      (text) => words.includes(text) || canonicalSource(text) !== null,
      `must be an address or a network, such as 192.0.2.7 or 10.0.0.0/8, or ${words.join(' or ')}`,
    )
  return z
    .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(Entry).max(maxSources))
    .refine((list) => list.length < 2 || !list.some((each) => words.includes(each)), {
      error: `must have no other entry beside ${words.join(' or ')}`,
    })
    .transform((list): SourcesSpec => ({ sources: list[0] === project ? null : list[0] === everyone ? [] : list }))
    .nullish()
    .transform((spec) => spec ?? null)
}

/** The field of projects and of published ports. */
export const AllowedSources = listWith([everyone])
/** The field of databases, which can have the list of their project. */
export const OwnOrProjectSources = listWith([everyone, project])

/**
 * The text by which Berth stores a source: an address has its prefix, too, and bits after the prefix are 0.
 * @returns null if the text is no source
 */
export function canonicalSource(text: string): string | null {
  const [, address = '', length] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const groups = isIPv4(address) ? address.split('.').map(Number) : isIPv6(address) ? groupsOf(address) : null
  if (groups === null) return null
  const [width, bits] = groups.length === 4 ? [8, 32] : [16, 128]
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) return null
  const masked = groups.map((group, i) => {
    const hidden = Math.min(width, Math.max(0, (i + 1) * width - prefix))
    return (group >> hidden) << hidden
  })
  if (bits === 32) return `${masked.join('.')}/${prefix}`
  const hex = masked.map((group) => group.toString(16))
  const isMapped = prefix >= 96 && hex.slice(0, 6).join() === '0,0,0,0,0,ffff'
  if (isMapped)
    return `${masked
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')}/${prefix - 96}`
  return `${new URL(`http://[${hex.join(':')}]`).hostname.slice(1, -1)}/${prefix}`
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [numbers(head), numbers(tail ?? '')]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

const canonicalList = (sources: readonly string[]) => [...new Set(sources.map((each) => canonicalSource(each) ?? each))]

/** A list as plans and files show it. */
export function sourcesText(sources: readonly string[] | null): string {
  if (sources === null) return project
  return sources.length === 0 ? everyone : canonicalList(sources).join(', ')
}

/** A list as a file has it; null for the one that a new record has. */
export const sourcesField = (sources: readonly string[] | null, initial: readonly string[] | null) =>
  sourcesText(sources) === sourcesText(initial) ? null : sources?.length ? [...sources] : sourcesText(sources)

/**
 * The change of the field; an empty list if the file leaves it out, or if both lists have the same sources.
 * @param present undefined for a new record
 */
export function sourcesChange(present: readonly string[] | null | undefined, spec: SourcesSpec): Change[] {
  if (spec === null) return []
  const keyOf = (sources: readonly string[] | null) =>
    sources?.length ? canonicalList(sources).toSorted().join() : sourcesText(sources)
  if (present !== undefined && keyOf(present) === keyOf(spec.sources)) return []
  const from = present === undefined ? null : sourcesText(present)
  return [{ field: 'allowedSources', from, to: sourcesText(spec.sources), isSecret: false }]
}
