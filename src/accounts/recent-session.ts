/** Tells sessions of a recent sign-in from older ones, which may have been stolen. */
import type { Reader } from '../store/schema.ts'

const recentMs = 10 * 60_000

/** Whether the session signed in within the last 10 minutes. False for a time in the future: the clock was set back. */
export async function isRecent(db: Reader, tokenId: string, now: Date): Promise<boolean> {
  const session = await db.selectFrom('token').select('createdAt').where('id', '=', tokenId).executeTakeFirst()
  const ageMs = now.getTime() - Date.parse(session?.createdAt ?? '')
  return ageMs >= 0 && ageMs < recentMs
}
