/** Recognizes the statements of a dump, and removes parts that differ between dumps of equal databases. Pure. */

/** How many characters of a statement are searched for its type. A long list of variables can precede the keyword. */
const maxHeadLength = 16 * 1024

/** Removes the delimiters of executable comments, and all names, because a name can be any word. */
const stripped = (text: string) =>
  text
    .slice(0, maxHeadLength)
    .replace(/`(?:[^`]|``)*`/g, '``')
    .replace(/\/\*M?!\d*|\*\//g, ' ')

const created = new RegExp(
  '\\bCREATE\\b[^;]*?' + '\\b(TABLE|VIEW|PROCEDURE|FUNCTION|TRIGGER|EVENT|SEQUENCE|PACKAGE\\s+BODY|PACKAGE)\\b',
  'i',
)

/** A placeholder for a view. The dump replaces it when all objects that the view uses exist. */
const placeholder = /^\s*CREATE\s+VIEW\b/i

/** Returns the type of object that a statement creates (VIEW, TRIGGER, ...), GRANT, or OTHER. */
export function objectTypeOf(text: string): string {
  if (text.startsWith('SET @berth_grant = ')) return 'GRANT'
  const plain = stripped(text)
  const [, type] = created.exec(plain) ?? []
  return type === undefined || placeholder.test(plain) ? 'OTHER' : type.toUpperCase().replace(/\s+/g, ' ')
}

/** Removes the next AUTO_INCREMENT value from a CREATE TABLE statement, because it is not part of the rows. */
export const plainOf = (text: string) => text.replace(/^(\) ENGINE=\w+.*?) AUTO_INCREMENT=\d+/m, '$1')

/** Returns the name of the table that the statement creates, or null. */
export function createdTable(text: string): string | null {
  const [, name] = /^CREATE TABLE (?:IF NOT EXISTS )?(`(?:[^`]|``)*`)/.exec(text) ?? []
  return name === undefined ? null : unquoted(name)
}

export const unquoted = (name: string) => name.slice(1, -1).replaceAll('``', '`')
