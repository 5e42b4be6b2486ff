/** Finds the roles that an archive names. A dump of one database does not contain these roles. Pure. */

const name = String.raw`(?:"(?:[^"]|"")*"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)`

const defaults = new RegExp(`^ALTER DEFAULT PRIVILEGES FOR ROLE (${name}) `)
const oneName = new RegExp(name, 'y')
const mapping = new RegExp(`^CREATE USER MAPPING FOR (${name}) SERVER `)
const session = new RegExp(`^SET SESSION AUTHORIZATION (${name});$`)

/** Roles that every server has, and keywords in place of a role. */
const reservedRoles = /^(?:public|current_user|current_role|session_user|pg_.*)$/i

/**
 * Returns the roles that a line names.
 * @param type the type of the object that the line belongs to
 */
export function rolesNamed(type: string, line: string): string[] {
  return rawRoles(type, line)
    .filter((it) => !reservedRoles.test(it))
    .map(unquoted)
}

/** The roles as they are in the line, with their quotation marks. Looks at each character a few times at most. */
function rawRoles(type: string, line: string): string[] {
  if (type === 'ACL') {
    const granted = /^(?:GRANT|REVOKE) /.test(line) ? grantee(line) : null
    return [granted, session.exec(line)?.[1]].filter((it) => it != null)
  }
  if (type === 'DEFAULT ACL') {
    const [, role] = defaults.exec(line) ?? []
    const granted = grantee(line)
    return role === undefined || granted === null ? [] : [role, granted]
  }
  const owner = line.startsWith('ALTER ') ? nameAfter(line.slice(0, -1), [' OWNER TO ']) : null
  return [
    ...(line.endsWith(';') && owner !== null ? [owner] : []),
    ...(policyRoles(line)?.names ?? []),
    ...(mapping.exec(line)?.slice(1) ?? []),
  ]
}

/** The last name of GRANT, REVOKE or of default privileges. */
function grantee(line: string): string | null {
  if (!line.endsWith(';')) return null
  const option = ' WITH GRANT OPTION'
  const statement = line.slice(0, -1)
  const granted = statement.endsWith(option) ? statement.slice(0, -option.length) : statement
  return nameAfter(granted, [' TO ', ' FROM '])
}

/** The name at the end of a text if one of the words precedes it. Searches backwards, and so passes over it once. */
function nameAfter(text: string, words: readonly string[]): string | null {
  const start = text.endsWith('"') ? openingQuote(text) : wordStart(text)
  const word = words.find((it) => text.endsWith(it, start))
  oneName.lastIndex = start
  return word !== undefined && start >= 0 && oneName.exec(text)?.[0].length === text.length - start
    ? text.slice(start)
    : null
}

/** The position of the quotation mark that opens the name at the end of the text; -1 if there is none. */
function openingQuote(text: string): number {
  for (let at = text.length - 2; at >= 0; at -= 2) {
    at = text.lastIndexOf('"', at)
    if (at <= 0 || text[at - 1] !== '"') return at
  }
  return -1
}

const wordCharacter = /[\w$\u0080-\uffff]/

function wordStart(text: string): number {
  let start = text.length
  while (start > 0 && wordCharacter.test(text[start - 1]!)) start--
  return start
}

const policyEnd = /(?: USING | WITH CHECK |;$)/y

/** The roles of a policy, and their place in the line. They follow the first TO that is not part of a quoted name. */
function policyRoles(line: string): { names: string[]; from: number; to: number } | null {
  if (!line.startsWith('CREATE POLICY ')) return null
  const [before] = /^(?:[^" ]|"[^"]*"| (?!TO ))* TO /.exec(line) ?? []
  if (before === undefined) return null
  const names: string[] = []
  for (let at = before.length; ; at += 2) {
    oneName.lastIndex = at
    const [found] = oneName.exec(line) ?? []
    if (found === undefined) return null
    names.push(found)
    at += found.length
    if (line.startsWith(', ', at)) continue
    policyEnd.lastIndex = at
    return policyEnd.test(line) ? { names, from: before.length, to: at } : null
  }
}

/** Sorts the roles in the statement of a policy. pg_dump prints them in the order in which they were created. */
export function withSortedRoles(line: string): string {
  const roles = policyRoles(line)
  return roles === null ? line : line.slice(0, roles.from) + roles.names.sort().join(', ') + line.slice(roles.to)
}

const unquoted = (role: string) => (role.startsWith('"') ? role.slice(1, -1).replaceAll('""', '"') : role)
