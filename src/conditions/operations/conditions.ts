/** The operation that lists conditions: what needs attention, and what needed it in the last 90 days. */
import { z } from 'zod'
import { query } from '../../api/contract.ts'
import { projectInReach } from '../../api/reach/filter.ts'
import { afterCursor, cutPage, Id, Order, page } from '../../api/fields.ts'
import type { Reach } from '../../api/reach/reach.ts'
import { withoutStorage } from '../../dumps/hidden-storage.ts'
import { fromJson } from '../../lib/json.ts'
import type { MuteTable } from '../../store/schema.ts'
import { ConditionNameField, SubjectKindField } from './fields.ts'
import { activeMutes, mutedUntil } from '../listing/mutes.ts'
import { type PathOf, readPaths } from '../listing/paths.ts'
import { conditionMessage, conditionReasons } from '../reason-message.ts'
import { type ConditionTable, severities } from '../table.ts'

const Severity = z.enum(severities, 'must be info, warning or critical')

const Condition = z.object({
  conditionId: z.string().describe('The id of the condition. A condition that begins again has another id'),
  name: ConditionNameField.describe('What needs attention; docs/conditions.md describes each name'),
  severity: Severity.describe(
    'critical: something does not work or data is at risk. warning: it soon may be. info: it is as configured, but worth knowing',
  ),
  subjectKind: SubjectKindField.describe(
    'The kind of the record that needs attention. hostName: a name that the proxy obtains a certificate for. ' +
      'authority: a certificate authority of Berth',
  ),
  subjectId: z
    .string()
    .describe(
      'The id of that record, the host name, or the name of the authority. For proxy, engine and installation: the ' +
        'same word',
    ),
  subjectName: z.string().describe('The name of that record. For a database its appName, for an account its e-mail'),
  path: z
    .string()
    .nullable()
    .describe('The path (project/name) of the database, also of that of a backup; null for other subjects'),
  projectId: z.string().nullable().describe('The project of the database; null if the subject belongs to none'),
  reason: z.string().describe('Why Berth reports the condition, as a message'),
  reasonCode: z
    .enum(conditionReasons)
    .meta({ title: 'ConditionReason' })
    .describe('The code of the reason, for programs'),
  since: z.string().describe('When the condition began'),
  endedAt: z.string().nullable().describe('When the condition ended; null while it is present'),
  mutedUntil: z
    .string()
    .nullable()
    .describe('Until when the condition raises no message; null if it is not muted, or has ended'),
})

export const all = query({
  name: 'condition.all',
  summary: 'List what needs attention',
  description:
    'Berth derives the conditions from its records every 15 seconds. Conditions of nodes, authorities, sign-ins and the ' +
    "backup of Berth's own state are listed only for administrators. Conditions that have ended are deleted after 90 days.",
  access: 'user:read',
  reach: 'filtered',
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
  async run({ db, actor, now, setNextCursor }, { limit, cursor, state, severity, projectId, order }) {
    let rows = db.selectFrom('condition').selectAll().orderBy('id', order)
    if (cursor !== undefined) rows = rows.where('id', afterCursor[order], cursor)
    if (state !== 'all') rows = rows.where('endedAt', state === 'present' ? 'is' : 'is not', null)
    if (severity !== undefined) rows = rows.where('severity', '=', severity)
    if (projectId !== undefined) rows = rows.where('projectId', '=', projectId)
    if (actor.rol !== 'admin') rows = rows.where('adminOnly', '=', 0)
    if (actor.reach !== 'all') rows = rows.where(projectInReach(actor.reach, 'condition.projectId'))
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const found = cutPage(await rows.execute(), limit, setNextCursor)
    const [pathOf, mutes] = [await readPaths(db, found), await activeMutes(db, now().toISOString())]
    return found.map((row) => toCondition(row, actor.reach, pathOf, mutes))
  },
})

function toCondition(row: ConditionTable, reach: Reach, pathOf: PathOf, mutes: readonly MuteTable[]) {
  const { id, reason: stored, adminOnly: _, ...rest } = row
  const reason = fromJson(reach === 'all' ? stored : withoutStorage(stored))
  return {
    ...rest,
    conditionId: id,
    path: pathOf(row),
    reason: conditionMessage(reason),
    reasonCode: reason.reason,
    mutedUntil: row.endedAt === null ? mutedUntil(mutes, row) : null,
  }
}
