/** Shared by the tests of conditions: waits until the loop has reported them. */
import type { TestBerth } from '../fixtures/test-berth.ts'

export interface Condition {
  conditionId: string
  name: string
  severity: string
  subjectKind: string
  subjectId: string
  subjectName: string
  projectId: string | null
  reason: string
  reasonCode: string
  since: string
  endedAt: string | null
}

/**
 * Every test Berth with a deployed database has these conditions: its clock is in 2030, when the versions of that
 * database have ended. The tests of other conditions leave them out.
 */
const usual = ['StateNotBackedUp', 'DatabaseVersionEnded']
/** The beginning of the ids of certificates that `afterTurn` inserts. */
const markerPrefix = 'marker-'

export async function readConditions(
  testBerth: TestBerth,
  input: Record<string, unknown> = {},
  as = testBerth.admin,
): Promise<Condition[]> {
  const all = await testBerth.ok<Condition[]>('condition.all', input, {}, as)
  return all.filter(({ name, subjectId }) => !usual.includes(name) && !subjectId.startsWith(markerPrefix))
}

/** Waits until exactly the conditions with these names are present, in any order. Returns them by name. */
export async function untilPresent(testBerth: TestBerth, ...names: string[]): Promise<Record<string, Condition>> {
  const present = await testBerth.until(`the conditions ${names.join(', ') || 'to end'}`, async () => {
    testBerth.app.wake('conditions')
    const all = await readConditions(testBerth)
    return all
      .map(({ name }) => name)
      .sort()
      .join() === names.toSorted().join()
      ? all
      : null
  })
  return Object.fromEntries(present.map((each) => [each.name, each]))
}

let markers = 0

/** Waits for a turn of the loop that began after this call: inserts a certificate that has expired, and removes it. */
export async function afterTurn(testBerth: TestBerth): Promise<void> {
  const { app } = testBerth
  const id = `${markerPrefix}${++markers}`
  const at = '2020-01-01T00:00:00.000Z'
  const described = JSON.stringify([{ names: [], notBefore: at, notAfter: at }])
  const row = { id, name: id, path: null, autoRenew: 0, described, pairs: '', createdAt: at, renewedAt: null } as const
  await app.transact((tx) => tx.insertInto('certificate').values(row).execute())
  const isPresent = async () =>
    (await testBerth.ok<Condition[]>('condition.all')).some(({ subjectId }) => subjectId === id)
  const wakeUntil = (what: string, isDone: () => Promise<boolean>) =>
    testBerth.until(what, async () => {
      app.wake('conditions')
      return (await isDone()) || null
    })
  await wakeUntil('the marker', isPresent)
  await app.transact((tx) => tx.deleteFrom('certificate').where('id', '=', id).execute())
  await wakeUntil('the end of the marker', async () => !(await isPresent()))
}
