/** The operations on mutes: conditions that raise no message until a time. */
import { z } from 'zod'
import { command, query } from '../../api/contract.ts'
import { answeredIdOf, cutPage, CreatedAt, idOf, page } from '../../api/fields.ts'
import { ConditionNameField, SubjectKindField } from '../../conditions/operations/fields.ts'
import { refuse, refuseField } from '../../errors.ts'
import { removeMutesOf } from '../queries.ts'
import type { MuteTable } from '../table.ts'

const maxMutes = 1000
const maxDays = 366
const hourMs = 3600_000

const Mute = z.object({
  muteId: answeredIdOf('mute'),
  subjectKind: SubjectKindField.describe('The kind of the muted record, as in condition.all'),
  subjectId: z.string().describe('The id of the muted record, as in condition.all'),
  condition: ConditionNameField.nullable().describe('The muted condition of the record; null: all of them'),
  until: z.string().describe('When the mute ends'),
  createdAt: CreatedAt,
})

const toMute = ({ id, ...rest }: MuteTable) => ({ muteId: id, ...rest })

export const mute = command({
  name: 'alert.mute',
  summary: 'Send no messages about a record until a time',
  description:
    'Conditions that are still present at the end of the mute raise a message then. condition.all lists muted conditions ' +
    'as usual. The end of a condition that was reported before is reported. A mute replaces an earlier one of the same ' +
    'record and condition.',
  access: 'admin:admin',
  input: z.object({
    subjectKind: SubjectKindField.describe('The kind of the record, as in condition.all: database, node, backup, ...'),
    subjectId: z
      .string()
      .min(1, 'must not be empty')
      .max(255, 'must have at most 255 characters')
      .describe('The id of the record, as in condition.all'),
    condition: ConditionNameField.nullable().default(null).describe('Only this condition; null: all of the record'),
    hours: z
      .number()
      .positive('must be more than 0')
      .max(maxDays * 24, `must be at most ${maxDays * 24}`)
      .optional()
      .describe('For how many hours. Without hours and until: for 1 hour'),
    until: z.iso
      .datetime({ offset: true, error: 'must be a time like 2030-01-31T12:00:00Z' })
      .optional()
      .describe(`Until when, instead of hours: a time in ISO 8601, at most ${maxDays} days from now`),
  }),
  output: Mute,
  refusals: ['CONFLICT'],
  async run({ tx, now, newId, wake }, { hours, until, ...subject }) {
    const at = now()
    const end = endOf(hours, until, at)
    await removeMutesOf(tx, subject)
    const { count } = await tx
      .selectFrom('mute')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (Number(count) >= maxMutes) refuse('CONFLICT', `There are ${maxMutes} mutes. Remove one with alert.unmute first`)
    const row: MuteTable = { id: newId(), ...subject, until: end.toISOString(), createdAt: at.toISOString() }
    await tx.insertInto('mute').values(row).execute()
    wake('alerts')
    return toMute(row)
  },
})

function endOf(hours: number | undefined, until: string | undefined, now: Date): Date {
  if (until === undefined) return new Date(now.getTime() + (hours ?? 1) * hourMs)
  if (hours !== undefined) refuseField('until', 'cannot be given together with hours')
  const end = new Date(until)
  if (end <= now) refuseField('until', 'must be in the future')
  if (end.getTime() > now.getTime() + maxDays * 24 * hourMs) refuseField('until', `must be within ${maxDays} days`)
  return end
}

export const unmute = command({
  name: 'alert.unmute',
  summary: 'End a mute',
  access: 'admin:admin',
  input: z.object({ muteId: idOf('mute') }),
  output: Mute,
  refusals: ['NOT_FOUND'],
  async run({ tx, wake }, { muteId }) {
    const row = await tx.selectFrom('mute').selectAll().where('id', '=', muteId).executeTakeFirst()
    if (row === undefined) refuse('NOT_FOUND', 'No mute with this id. alert.mutes lists all mutes')
    await tx.deleteFrom('mute').where('id', '=', row.id).execute()
    wake('alerts')
    return toMute(row)
  },
})

export const mutes = query({
  name: 'alert.mutes',
  summary: 'List the mutes that have not ended, oldest first',
  access: 'admin:read',
  input: z.object(page),
  output: z.array(Mute),
  async run({ db, now, setNextCursor }, { limit, cursor = '' }) {
    let rows = db.selectFrom('mute').selectAll().where('id', '>', cursor).orderBy('id')
    rows = rows.where('until', '>', now().toISOString())
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map(toMute)
  },
})
