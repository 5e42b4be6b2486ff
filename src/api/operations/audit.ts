/** Operations that read the audit log and verify its chain. */
import { z } from 'zod'
import { query } from '../contract.ts'
import { refuseField } from '../../errors.ts'
import { ConfirmedCall } from '../confirmation/fields.ts'
import { RightsChange } from '../reach/audit-details.ts'
import { AuditDetails } from '../sessions/audit-details.ts'
import { checkChain } from '../audit-log.ts'
import type { AuditTable } from '../../store/schema.ts'
import { afterCursor, answeredIdOf, cutPage, Id, Order, page, Since } from '../fields.ts'
import { instantOf } from '../instants.ts'

/** The default page size. Without a default, one answer would contain the whole log. */
const maxEntries = 1000

const Details = z.discriminatedUnion('event', [...AuditDetails.options, ConfirmedCall, RightsChange])

const Entry = z.object({
  auditId: answeredIdOf('entry'),
  at: z.string().describe('Time of the call'),
  kind: z
    .enum(['none', 'installation', 'invitation', 'challenge', 'session', 'api', 'machine'])
    .describe('Type of the token. none: a sign-in without a token. machine: a command on the machine'),
  accountId: z.string().nullable().describe('Id of the account of the token; null for a token without an account'),
  email: z.string().nullable().describe('E-mail of the account at the time of the call'),
  tokenId: z
    .string()
    .nullable()
    .describe(
      'Id of the token or session, or installation for the installation token; null for a command on the machine',
    ),
  address: z.string().describe('IP address of the caller; empty for a command on the machine'),
  operation: z.string().describe('Name of the operation, such as postgres.deploy, or of the command on the machine'),
  record: z.string().nullable().describe('Id of the record that the call concerned; for a refused sign-in the e-mail'),
  result: z.string().describe('OK, or the code of the error'),
  details: Details.nullable().describe(
    'What else is recorded of a session, of a confirmed call or of a change of rights; null for other calls',
  ),
  hash: z.string().describe('Hash of this entry and all entries before it'),
})

export const all = query({
  name: 'audit.all',
  summary: 'List changes and refused calls',
  description:
    'An entry contains the caller, operation, record, time, address and result of a call, but never its input. OK ' +
    'means that the call was accepted; deployment.all lists the outcome of its work. Reads are recorded only if the ' +
    'answer contained database passwords or join tokens, once in 10 minutes for each token and record. Berth does ' +
    'not record malformed or rate-limited calls, calls without a valid token, and refusals of a token after the ' +
    'first 100 in an hour. A session has an entry for its begin and one for its end, without anything that was typed; ' +
    'if Berth was killed, the next start adds the end. The entry of a call that was confirmed with a code says so. ' +
    'Entries are deleted after 400 days.',
  access: 'admin:read',
  input: z.object({
    ...page,
    limit: page.limit.default(maxEntries).describe('Maximum number of entries'),
    accountId: Id.optional().describe('Only calls of this account'),
    record: Id.optional().describe('Only calls that concern the record with this id'),
    operation: Id.optional().describe('Only calls of this operation, such as postgres.deploy'),
    result: z.string().max(255).optional().describe('Only calls with this result: OK, or the code of an error'),
    order: Order,
    since: Since,
  }),
  output: z.array(Entry),
  async run({ db, now, setNextCursor }, { limit, cursor, accountId, record, operation, result, order, since }) {
    let rows = db
      .selectFrom('audit')
      .selectAll()
      .orderBy('seq', order)
      .limit(limit + 1)
    if (cursor !== undefined) rows = rows.where('seq', afterCursor[order], seqOf(cursor))
    if (accountId !== undefined) rows = rows.where('accountId', '=', accountId)
    if (record !== undefined) rows = rows.where('record', '=', record)
    if (operation !== undefined) rows = rows.where('operation', '=', operation)
    if (result !== undefined) rows = rows.where('result', '=', result)
    if (since !== undefined) rows = rows.where('at', '>=', instantOf(since, now())!)
    const entries = (await rows.execute()).map((row) => ({ id: idOf(row.seq), row }))
    return cutPage(entries, limit, setNextCursor).map(({ row }) => toEntry(row))
  },
})

export const check = query({
  name: 'audit.check',
  summary: 'Check that no entry of the audit log was changed, inserted or removed',
  description:
    'Reads the whole log. The check cannot detect that entries were removed at the beginning or at the end of the ' +
    'log. To detect a removal at the end, store `head` outside of Berth. After a later check, look for that entry.',
  access: 'admin:read',
  input: z.object({}),
  output: z.object({
    valid: z.boolean().describe('Whether every entry is valid'),
    entries: z.number().describe('Number of entries that were checked'),
    brokenAt: z.string().nullable().describe('Id of the first entry that is not valid; null if there is none'),
    head: z
      .object({ auditId: answeredIdOf('entry'), hash: Entry.shape.hash })
      .nullable()
      .describe('The last valid entry; null if there is none'),
  }),
  async run({ db, vault }) {
    const { entries, brokenAt, head } = await checkChain(db, vault)
    return {
      valid: brokenAt === null,
      entries,
      brokenAt: brokenAt === null ? null : idOf(brokenAt),
      head: head === null ? null : { auditId: idOf(head.seq), hash: head.hash },
    }
  },
})

/** The id of an entry. It has leading zeros, so that the ids sort as text, like all ids. */
const idOf = (seq: number) => String(seq).padStart(12, '0')

const seqOf = (cursor: string) =>
  /^\d{1,15}$/.test(cursor) ? Number(cursor) : refuseField('cursor', 'is invalid. Use the Berth-Next-Cursor value')

function toEntry({ seq, previousHash: _, details, ...entry }: AuditTable) {
  return {
    auditId: idOf(seq),
    ...entry,
    details: details === null ? null : (JSON.parse(details) as z.output<typeof Details>),
  }
}
