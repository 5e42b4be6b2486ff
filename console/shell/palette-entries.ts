/** What the palette finds: screens, databases and projects. Pure. */

export interface Entry {
  text: string
  /** What it is, and its state. */
  group: string
  href: string
  /** `text` and `group` for the search. */
  searched: string
}

export const entryOf = (text: string, group: string, href: string): Entry => ({
  ...{ text, group, href },
  searched: `${text} ${group}`.toLowerCase(),
})

const maxShown = 50
export const maxRecent = 6

/**
 * The entries that contain all words. Those of which a name begins with the first word come first.
 * @param recent addresses that were opened before, the last one first. They are shown while nothing is typed
 */
export function matching(entries: readonly Entry[], query: string, recent: readonly string[]): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...recentOf(entries, recent), ...entries].slice(0, maxShown)
  const found = entries.filter(({ searched }) => words.every((word) => searched.includes(word)))
  const first = words[0]!
  const isNamed = ({ searched }: Entry) => searched.startsWith(first) || searched.includes(`/${first}`)
  return [...found.filter(isNamed), ...found.filter((entry) => !isNamed(entry))].slice(0, maxShown)
}

const recentOf = (entries: readonly Entry[], recent: readonly string[]): Entry[] =>
  recent.flatMap((href) => {
    const entry = entries.find((each) => each.href === href)
    return entry === undefined ? [] : [{ ...entry, group: `${entry.group} · recent` }]
  })

/** Puts an address before the others. */
export const withRecent = (recent: readonly string[], href: string): string[] =>
  [href, ...recent.filter((each) => each !== href)].slice(0, maxRecent)
