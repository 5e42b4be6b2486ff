/** The labels of a node as rows of a form. Pure. */
export interface LabelRow {
  name: string
  value: string
}

type Labels = Record<string, string>

export const rowsOf = (labels: Labels): LabelRow[] =>
  Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }))

/** Empty rows are left out. `wrong` says why the rows are no labels; null: they are. */
export function labelsOf(rows: readonly LabelRow[]): { labels: Labels; wrong: string | null } {
  const filled = rows.filter(({ name, value }) => name.trim() !== '' || value.trim() !== '')
  const labels: Labels = {}
  let wrong: string | null = null
  for (const { name, value } of filled) {
    if (name.trim() === '') wrong ??= `The label with the value ${value.trim()} needs a name`
    else if (Object.hasOwn(labels, name.trim())) wrong ??= `The label ${name.trim()} is there twice`
    labels[name.trim()] = value.trim()
  }
  return { labels, wrong }
}

export const labelsText = (labels: Labels): string =>
  rowsOf(labels)
    .map(({ name, value }) => (value === '' ? name : `${name}=${value}`))
    .join(', ') || 'none'

export const isSameLabels = (a: Labels, b: Labels): boolean => JSON.stringify(rowsOf(a)) === JSON.stringify(rowsOf(b))
