/** Recognizes the statements of a dump, and removes parts that differ between dumps of equal databases. Pure. */

/** How many characters of a statement are searched for its type. A long list of variables can precede the keyword. */
const maxHeadLength = 16 * 1024

/** Removes the delimiters of executable comments, and all names, because a name can be any word. */
const stripped = (text: string) =>
  text
    .slice(0, maxHeadLength)
    .replace(/`(?:[^`]|``)*`/g, '``')
    .replace(/\/\*M?!\d*|\*\//g, ' ')

/** The words that say what a statement creates, and the end of a statement within a routine. */
const keywords = /;|\b(?:CREATE|TABLE|VIEW|PROCEDURE|FUNCTION|TRIGGER|EVENT|SEQUENCE|PACKAGE\s+BODY|PACKAGE)\b/gi

/** A placeholder for a view. The dump replaces it when all objects that the view uses exist. */
const placeholder = /^\s*CREATE\s+VIEW\b/i

/** Returns the type of object that a statement creates (VIEW, TRIGGER, ...), GRANT, or OTHER. */
export function objectTypeOf(text: string): string {
  if (text.startsWith('SET @berth_grant = ')) return 'GRANT'
  const plain = stripped(text)
  return placeholder.test(plain) ? 'OTHER' : (createdType(plain) ?? 'OTHER')
}

/** The first type that follows CREATE, without a semicolon between them. Looks at each word once. */
function createdType(text: string): string | null {
  let isCreate = false
  for (const [word] of text.matchAll(keywords)) {
    const keyword = word.toUpperCase().replace(/\s+/g, ' ')
    if (keyword === ';') isCreate = false
    else if (keyword === 'CREATE') isCreate = true
    else if (isCreate) return keyword
  }
  return null
}

const tableEnd = '\n) ENGINE='
const nextValue = ' AUTO_INCREMENT='

/**
 * Removes the next AUTO_INCREMENT value from a CREATE TABLE statement, because it is not part of the rows. The value is
 * in the first line that begins with `) ENGINE=` and has one. Looks at each character once or twice.
 */
export function plainOf(text: string): string {
  for (let start = text.indexOf(tableEnd); start >= 0; ) {
    const lineEnd = text.indexOf('\n', start + 1)
    const line = text.slice(start, lineEnd < 0 ? text.length : lineEnd)
    const [before, value] = cutAtDigits(line)
    if (value !== '') return text.slice(0, start) + before + text.slice(start + before.length + value.length)
    start = lineEnd < 0 ? -1 : text.indexOf(tableEnd, lineEnd)
  }
  return text
}

/** The line up to its first AUTO_INCREMENT with a number after the engine's name, and this part; '' if there is none. */
function cutAtDigits(line: string): [before: string, value: string] {
  if (!/^\w/.test(line.slice(tableEnd.length, tableEnd.length + 1))) return [line, '']
  for (let at = line.indexOf(nextValue, tableEnd.length); at >= 0; at = line.indexOf(nextValue, at + 1)) {
    let end = at + nextValue.length
    while (isDigit(line.charCodeAt(end))) end++
    if (end > at + nextValue.length) return [line.slice(0, at), line.slice(at, end)]
  }
  return [line, '']
}

const isDigit = (code: number) => code >= 48 && code <= 57

/** Returns the name of the table that the statement creates, or null. */
export function createdTable(text: string): string | null {
  const create = 'CREATE TABLE '
  if (!text.startsWith(create)) return null
  const condition = 'IF NOT EXISTS '
  const start = text.startsWith(condition, create.length) ? create.length + condition.length : create.length
  const end = nameEnd(text, start)
  return end < 0 ? null : unquoted(text.slice(start, end))
}

/** The spaces are limited, because a long match needs much memory. mysqldump writes one or two. */
const insert = /^INSERT\s{1,8}(?:IGNORE\s{1,8})?INTO (?=`)/

/**
 * Returns the name of the table if the text is all that precedes the first row of an INSERT.
 * @param text the statement up to a parenthesis that can begin the first row
 */
export function insertedTable(text: string): string | null {
  const [start] = insert.exec(text) ?? []
  if (start === undefined) return null
  const end = nameEnd(text, start.length)
  const header = text.trimEnd()
  if (end < 0 || !header.endsWith(' VALUES') || header.length < end + 7) return null
  const columns = header.slice(end, -7)
  const isColumns = columns === '' || (columns.length >= 3 && columns.startsWith(' (') && columns.endsWith(')'))
  return isColumns ? unquoted(text.slice(start.length, end)) : null
}

/** The position after the quoted name that begins at `start`. -1 if there is none or it does not end. */
function nameEnd(text: string, start: number): number {
  if (text[start] !== '`') return -1
  for (let at = text.indexOf('`', start + 1); at >= 0; at = text.indexOf('`', at + 2)) {
    if (text[at + 1] !== '`') return at + 1
  }
  return -1
}

const unquoted = (name: string) => name.slice(1, -1).replaceAll('``', '`')
