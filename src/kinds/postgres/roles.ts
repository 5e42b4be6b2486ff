/** The roles that statements of an archive name, of which no dump of one database says how they are made. Pure. */

const name = String.raw`(?:"(?:[^"]|"")*"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)`

const owner = new RegExp(`^ALTER .* OWNER TO (${name});$`)
const granted = new RegExp(`^(?:GRANT|REVOKE) .* (?:TO|FROM) (${name})(?: WITH GRANT OPTION)?;$`)
const defaults = new RegExp(
  `^ALTER DEFAULT PRIVILEGES FOR ROLE (${name}) .*(?:TO|FROM) (${name})(?: WITH GRANT OPTION)?;$`,
)
const policy = new RegExp(`^CREATE POLICY .*? TO (${name}(?:, ${name})*)(?: USING | WITH CHECK |;$)`)
const mapping = new RegExp(`^CREATE USER MAPPING FOR (${name}) SERVER `)
const session = new RegExp(`^SET SESSION AUTHORIZATION (${name});$`)

/** No roles that could be made. */
const words = /^(?:public|current_user|current_role|session_user|pg_.*)$/i

/** `sort`: that of the object to which the line belongs. */
export function rolesNamed(sort: string, line: string): string[] {
  return patternsOf(sort)
    .flatMap((pattern) => pattern.exec(line)?.slice(1) ?? [])
    .flatMap(namesIn)
    .filter((it) => !words.test(it))
    .map(unquoted)
}

function patternsOf(sort: string): RegExp[] {
  if (sort === 'ACL') return [granted, session]
  if (sort === 'DEFAULT ACL') return [defaults]
  return [owner, policy, mapping]
}

/** The statement of a policy with its roles in order: the server gives them in that of their making. */
export function inOrder(line: string): string {
  const [, list] = policy.exec(line) ?? []
  return list === undefined ? line : line.replace(` TO ${list}`, () => ` TO ${namesIn(list).sort().join(', ')}`)
}

const namesIn = (list: string) => list.match(new RegExp(name, 'g')) ?? []

const unquoted = (it: string) => (it.startsWith('"') ? it.slice(1, -1).replaceAll('""', '"') : it)
