/** The operation that lists conditions: what needs attention, and what needed it in the last 90 days. */
import { z } from 'zod'
import { query } from '../api/contract.ts'
import { afterCursor, cutPage, Id, Order, page } from '../api/fields.ts'
import { fromJson } from '../lib/json.ts'
import { conditionMessage, conditionReasons } from './reason-message.ts'
import { conditionNames, type ConditionTable, severities, subjectKinds } from './table.ts'

const Severity = z.enum(severities, 'must be warning or critical')

const Condition = z.object({
  conditionId: z.string().describe('The id of the condition. A condition that begins again has another id'),
  name: z.enum(conditionNames).describe('What needs attention; docs/conditions.md describes each name'),
  severity: Severity.describe('critical: something does not work or data is at risk. warning: it soon may be'),
  subjectKind: z
    .enum(subjectKinds)
    .describe('The kind of the record that needs attention. hostName: a name that the proxy obtains a certificate for'),
  subjectId: z
    .string()
    .describe('The id of that record, or the host name. For proxy, engine and installation: the same word'),
  subjectName: z.string().describe('The name of that record. For a database its appName, for an account its e-mail'),
  projectId: z.string().nullable().describe('The project of the database; null if the subject belongs to none'),
  reason: z.string().describe('Why Berth reports the condition, as a message'),
  reasonCode: z
    .enum(conditionReasons)
    .meta({ title: 'ConditionReason' })
    .describe('The code of the reason, for programs'),
  since: z.string().describe('When the condition began'),
  endedAt: z.string().nullable().describe('When the condition ended; null while it is present'),
})

export const all = query({
  name: 'condition.all',
  summary: 'List what needs attention',
  description:
    'Berth derives the conditions from its records every 15 seconds. Conditions of nodes, sign-ins, the clock and the ' +
    "backup of Berth's own state are listed only for administrators. Conditions that have ended are deleted after 90 days.",
  access: 'user:read',
  input: z.object({
    ...page,
    state: z
      .enum(['present', 'ended', 'all'], 'must be present, ended or all')
      .default('present')
      .describe('present: only conditions that have not ended. ended: only those that have. all: both'),
    severity: Severity.optional().describe('Only conditions of this severity'),
    projectId: Id.optional().describe('Only conditions of databases and backups in this project'),
    order: Order,
  }),
  output: z.array(Condition),
  async run({ db, actor, setNextCursor }, { limit, cursor, state, severity, projectId, order }) {
    let rows = db.selectFrom('condition').selectAll().orderBy('id', order)
    if (cursor !== undefined) rows = rows.where('id', afterCursor[order], cursor)
    if (state !== 'all') rows = rows.where('endedAt', state === 'present' ? 'is' : 'is not', null)
    if (severity !== undefined) rows = rows.where('severity', '=', severity)
    if (projectId !== undefined) rows = rows.where('projectId', '=', projectId)
    if (actor.rol !== 'admin') rows = rows.where('adminOnly', '=', 0)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map(toCondition)
  },
})

function toCondition({ id, reason: stored, adminOnly: _, ...rest }: ConditionTable) {
  const reason = fromJson(stored)
  return { ...rest, conditionId: id, reason: conditionMessage(reason), reasonCode: reason.reason }
}
