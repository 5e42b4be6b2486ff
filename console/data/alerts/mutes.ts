/** Mutes: which one belongs to a condition, and for how long a person can mute. Pure, but for the read. */
import type { api } from '../api.ts'
import { useQuery } from '../live/query.ts'
import { isAdmin } from '../session.ts'
import type { Condition } from './conditions.ts'

export type Mute = Awaited<ReturnType<typeof api.alert.mutes>>[number]

/** Only administrators decide who gets messages. */
export const useMutes = (): readonly Mute[] => useQuery('alert.mutes', isAdmin() ? {} : null).data.value ?? []

/** The mute that keeps back the messages about a condition. */
export const muteOf = (mutes: readonly Mute[], { subjectKind, subjectId, name }: Condition): Mute | undefined =>
  mutes.find(
    (mute) => mute.subjectKind === subjectKind && mute.subjectId === subjectId && [null, name].includes(mute.condition),
  )
