/** The audit log as administrators read it, and the check of its chain. */
import { z } from 'zod'
import { query } from '../contract.ts'
import { refuseField } from '../../errors.ts'
import { checkChain } from '../audit-log.ts'
import type { AuditTable } from '../../store/schema.ts'
import { cutPage, Id, page, Since } from '../fields.ts'
import { instantOf } from '../instants.ts'

/** As long as a page may be: a log of a year is not one answer. */
const maxEntries = 1000

const Entry = z.object({
  auditId: z.string(),
  at: z.string(),
  kind: z
    .enum(['installation', 'invitation', 'challenge', 'session', 'api', 'machine'])
    .describe('What the caller showed; machine: a command on the machine itself'),
  accountId: z.string().nullable(),
  email: z.string().nullable().describe('Of the account at that time'),
  tokenId: z.string().nullable(),
  address: z.string(),
  operation: z.string(),
  record: z.string().nullable().describe('The id that it was about, or the e-mail of a sign-in that was refused'),
  result: z.string().describe('OK, or the code of the refusal'),
  hash: z.string().describe('Binds this entry and all before it'),
})

export const all = query({
  name: 'audit.all',
  summary: 'List what was changed, and what was refused, oldest first',
  description:
    'Who, what, which record, when, from where, with what result; never what was sent. OK: the call was ' +
    'accepted; how its work ended is in deployment.all. Left out are reads (but for those that answered passwords of ' +
    'databases or join tokens: one in 10 minutes for each token and record), calls that were malformed, limited or ' +
    'without a good token, and all but the first 100 refusals to a token in an hour. Entries are kept for 400 days.',
  access: 'admin:read',
  input: z.object({
    ...page,
    limit: page.limit.default(maxEntries).describe('So many entries at most'),
    accountId: Id.optional().describe('What this account did'),
    record: Id.optional().describe('What was done to the record of this id'),
    operation: Id.optional(),
    since: Since,
  }),
  output: z.array(Entry),
  async run({ db, now, more }, { limit, cursor, accountId, record, operation, since }) {
    let rows = db
      .selectFrom('audit')
      .selectAll()
      .where('seq', '>', seqOf(cursor))
      .orderBy('seq')
      .limit(limit + 1)
    if (accountId !== undefined) rows = rows.where('accountId', '=', accountId)
    if (record !== undefined) rows = rows.where('record', '=', record)
    if (operation !== undefined) rows = rows.where('operation', '=', operation)
    if (since !== undefined) rows = rows.where('at', '>=', instantOf(since, now())!)
    const entries = (await rows.execute()).map((row) => ({ id: idOf(row.seq), row }))
    return cutPage(entries, limit, more).map(({ row }) => toEntry(row))
  },
})

export const check = query({
  name: 'audit.check',
  summary: 'Check that no entry of the audit log was changed, put in or taken out',
  description:
    'Reads the whole log. Note `head` somewhere else: a later check with that entry still in its place says ' +
    'that nothing was cut off the end either.',
  access: 'admin:read',
  input: z.object({}),
  output: z.object({
    valid: z.boolean(),
    entries: z.number(),
    brokenAt: z.string().nullable().describe('The first entry that is not what it was'),
    head: z.object({ auditId: z.string(), hash: z.string() }).nullable().describe('The last entry that is'),
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

/** Sorts as text, as all ids do. */
const idOf = (seq: number) => String(seq).padStart(12, '0')

const seqOf = (cursor = '0') =>
  /^\d{1,15}$/.test(cursor) ? Number(cursor) : refuseField('cursor', 'is invalid. Use the Berth-Next-Cursor value')

function toEntry({ seq, previousHash: _, ...entry }: AuditTable) {
  return { auditId: idOf(seq), ...entry }
}
