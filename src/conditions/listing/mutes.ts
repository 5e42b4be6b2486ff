/** Which conditions are muted: they are listed, but raise no message until a time. */
import type { MuteTable, Reader, Time } from '../../store/schema.ts'
import type { ConditionTable } from '../table.ts'

/** The mutes that have not ended. */
export const activeMutes = (db: Reader, at: Time): Promise<MuteTable[]> =>
  db.selectFrom('mute').selectAll().where('until', '>', at).execute()

/** When the last mute of a condition ends; null if it is not muted. Pure. */
export function mutedUntil(
  mutes: readonly MuteTable[],
  { subjectKind, subjectId, name }: Pick<ConditionTable, 'subjectKind' | 'subjectId' | 'name'>,
): Time | null {
  const ends = mutes
    .filter((mute) => mute.subjectKind === subjectKind && mute.subjectId === subjectId)
    .filter(({ condition }) => condition === null || condition === name)
    .map(({ until }) => until)
  return ends.toSorted().at(-1) ?? null
}
