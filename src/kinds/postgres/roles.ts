/** Finds the roles that an archive names. A dump of one database does not contain these roles. Pure. */

const name = String.raw`(?:"(?:[^"]|"")*"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)`

const owner = new RegExp(`^ALTER .* OWNER TO (${name});$`)
const granted = new RegExp(`^(?:GRANT|REVOKE) .* (?:TO|FROM) (${name})(?: WITH GRANT OPTION)?;$`)
const defaults = new RegExp(
  `^ALTER DEFAULT PRIVILEGES FOR ROLE (${name}) .*(?:TO|FROM) (${name})(?: WITH GRANT OPTION)?;$`,
)
const policy = new RegExp(`^CREATE POLICY .*? TO (${name}(?:, ${name})*)(?: USING | WITH CHECK |;$)`)
const mapping = new RegExp(`^CREATE USER MAPPING FOR (${name}) SERVER `)
const session = new RegExp(`^SET SESSION AUTHORIZATION (${name});$`)

/** Roles that every server has, and keywords in place of a role. */
const reservedRoles = /^(?:public|current_user|current_role|session_user|pg_.*)$/i

/**
 * Returns the roles that a line names.
 * @param type the type of the object that the line belongs to
 */
export function rolesNamed(type: string, line: string): string[] {
  return patternsOf(type)
    .flatMap((pattern) => pattern.exec(line)?.slice(1) ?? [])
    .flatMap(namesIn)
    .filter((it) => !reservedRoles.test(it))
    .map(unquoted)
}

function patternsOf(type: string): RegExp[] {
  if (type === 'ACL') return [granted, session]
  if (type === 'DEFAULT ACL') return [defaults]
  return [owner, policy, mapping]
}

/** Sorts the roles in the statement of a policy. pg_dump prints them in the order in which they were created. */
export function withSortedRoles(line: string): string {
  const [, list] = policy.exec(line) ?? []
  return list === undefined ? line : line.replace(` TO ${list}`, () => ` TO ${namesIn(list).sort().join(', ')}`)
}

const namesIn = (list: string) => list.match(new RegExp(name, 'g')) ?? []

const unquoted = (role: string) => (role.startsWith('"') ? role.slice(1, -1).replaceAll('""', '"') : role)
