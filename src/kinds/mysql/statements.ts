/** What a statement of a dump is, and what it says without that in which dumps of equal databases differ. Pure. */

/** What tells the sort stands early in a statement, but for a long list of variables before it. */
const head = 16 * 1024

/** Comments that the server reads as statements, and names, which may be any words. */
const stripped = (text: string) =>
  text
    .slice(0, head)
    .replace(/`(?:[^`]|``)*`/g, '``')
    .replace(/\/\*M?!\d*|\*\//g, ' ')

const created = new RegExp(
  '\\bCREATE\\b[^;]*?' + '\\b(TABLE|VIEW|PROCEDURE|FUNCTION|TRIGGER|EVENT|SEQUENCE|PACKAGE\\s+BODY|PACKAGE)\\b',
  'i',
)

/** A view stands in for itself until all that it is made of is there. */
const placeholder = /^\s*CREATE\s+VIEW\b/i

/** VIEW, TRIGGER and the like of what it makes, GRANT, or OTHER. */
export function sortOf(text: string): string {
  if (text.startsWith('SET @berth_grant = ')) return 'GRANT'
  const plain = stripped(text)
  const [, sort] = created.exec(plain) ?? []
  return sort === undefined || placeholder.test(plain) ? 'OTHER' : sort.toUpperCase().replace(/\s+/g, ' ')
}

/** The number that the next row gets tells nothing of the rows. */
export const plainOf = (text: string) => text.replace(/^(\) ENGINE=\w+.*?) AUTO_INCREMENT=\d+/m, '$1')

/** The table that the statement makes, if it makes one. */
export function tableMade(text: string): string | null {
  const [, name] = /^CREATE TABLE (?:IF NOT EXISTS )?(`(?:[^`]|``)*`)/.exec(text) ?? []
  return name === undefined ? null : unquoted(name)
}

export const unquoted = (name: string) => name.slice(1, -1).replaceAll('``', '`')
