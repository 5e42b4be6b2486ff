/** Finds the roles that statements of an archive name. A dump of one database does not contain the roles. Pure. */

const name = String.raw`(?:"(?:[^"]|"")*"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)`

const owner = new RegExp(`^ALTER .* OWNER TO (${name});$`)
const granted = new RegExp(`^(?:GRANT|REVOKE) .* (?:TO|FROM) (${name})(?: WITH GRANT OPTION)?;$`)
const defaults = new RegExp(
  `^ALTER DEFAULT PRIVILEGES FOR ROLE (${name}) .*(?:TO|FROM) (${name})(?: WITH GRANT OPTION)?;$`,
)
const policy = new RegExp(`^CREATE POLICY .*? TO (${name}(?:, ${name})*)(?: USING | WITH CHECK |;$)`)
const mapping = new RegExp(`^CREATE USER MAPPING FOR (${name}) SERVER `)
const session = new RegExp(`^SET SESSION AUTHORIZATION (${name});$`)

/** Role names that cannot be created. */
const reservedRoles = /^(?:public|current_user|current_role|session_user|pg_.*)$/i

/**
 * Returns the roles that a line names.
 * @param sort the sort of the object that the line belongs to
 */
export function rolesNamed(sort: string, line: string): string[] {
  return patternsOf(sort)
    .flatMap((pattern) => pattern.exec(line)?.slice(1) ?? [])
    .flatMap(namesIn)
    .filter((it) => !reservedRoles.test(it))
    .map(unquoted)
}

function patternsOf(sort: string): RegExp[] {
  if (sort === 'ACL') return [granted, session]
  if (sort === 'DEFAULT ACL') return [defaults]
  return [owner, policy, mapping]
}

/** Sorts the roles in the statement of a policy. pg_dump prints them in the order in which they were created. */
export function inOrder(line: string): string {
  const [, list] = policy.exec(line) ?? []
  return list === undefined ? line : line.replace(` TO ${list}`, () => ` TO ${namesIn(list).sort().join(', ')}`)
}

const namesIn = (list: string) => list.match(new RegExp(name, 'g')) ?? []

const unquoted = (it: string) => (it.startsWith('"') ? it.slice(1, -1).replaceAll('""', '"') : it)
