/** Renders the findings of dumps as sentences, with what to do. No decision depends on the sentences. Pure. */
import { type Messages, reasonNames } from '../deployments/messages.ts'
import type { DumpFinding } from '../kinds/dump-finding.ts'

/** The type and the name of an object, such as `the view v`. */
export const objectText = ({ type, name }: Pick<DumpFinding, 'type' | 'name'>): string =>
  `the ${type.toLowerCase()} ${name}`

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const messages: Messages<DumpFinding> = {
  ViewBroken: (it) =>
    `${capitalized(objectText(it))} cannot be read. The dump has only its definition, as a comment: ${it.detail}`,
  DefinerMissing: (it) =>
    `${capitalized(objectText(it))} is in the dump, but it does not work, because its definer ${it.definer} does not exist`,
  DatabaseNeeded: (it) => `${capitalized(objectText(it))} needs the database ${it.database}, which is not in this dump`,
  IndexInvalid: (it) => `${capitalized(objectText(it))} is invalid, so it is not in the dump: ${it.definition}`,
  ServerNeeded: (it) =>
    `A restore computes ${objectText(it)} from the foreign server ${it.server}, and fails if it does not reach that server`,
  RowsElsewhere: (it) => `The rows of ${objectText(it)} are on ${serverText(it)}, and not in this dump`,
}

const remedies: Messages<DumpFinding> = {
  ViewBroken: ({ name }) => `Correct the view with CREATE OR REPLACE VIEW, or remove it: DROP VIEW ${quoted(name)}`,
  DefinerMissing: ({ type, definer }) =>
    `Create the account ${definer}, or create the ${type.toLowerCase()} again with another definer`,
  DatabaseNeeded: ({ database }) =>
    `Back up the database ${database} too. On a new server, restore ${database} before this dump`,
  IndexInvalid: ({ name }) => `Build it again: REINDEX INDEX ${name}. Or remove it: DROP INDEX ${name}`,
  ServerNeeded: ({ server }) => `Make sure that the place of a restore reaches the foreign server ${server}`,
  RowsElsewhere: (it) => `Back up ${it.server === '' ? 'that server' : serverText(it)} too`,
}

/** The products that are like MySQL know only the address of the server. It can contain a password, so Berth does not read it. */
const serverText = ({ server }: { server: string }) =>
  server === '' ? 'another server' : `the foreign server ${server}`

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``

/** The codes of all findings, for the API's schema. */
export const findingReasons = reasonNames(messages)

/** Returns the sentence for a finding. */
export function findingMessage(finding: DumpFinding): string {
  const render = messages[finding.reason] as (finding: DumpFinding) => string
  return render(finding)
}

/** Returns what to do about a finding, as a sentence. */
export function findingRemedy(finding: DumpFinding): string {
  const render = remedies[finding.reason] as (finding: DumpFinding) => string
  return render(finding)
}
