/** What the tests of backups share: a storage in which nobody listens, and a clock whose loop has looked. */
import { until } from '../engine/until.ts'
import type { Input, TestBerth } from '../fixtures/test-berth.ts'

/** Gives its id. */
export async function makeDestination(testBerth: TestBerth): Promise<string> {
  const { destinationId } = await testBerth.ok<{ destinationId: string }>('destination.create', {
    name: 'bucket',
    accessKey: 'key',
    secretAccessKey: 'a-secret-of-the-storage',
    bucket: 'backups',
    region: '',
    endpoint: 'http://127.0.0.1:9',
  })
  return destinationId
}

/** The clock is set, and the loop has looked: it made a run of a backup, made as `given`, that was due just then. */
export async function setClock(testBerth: TestBerth, ms: number, given: Input): Promise<void> {
  testBerth.pass(ms)
  const { backupId } = await testBerth.ok<{ backupId: string }>('backup.create', { ...given, schedule: '* * * * *' })
  await testBerth.app.transact((tx) =>
    tx.updateTable('backup').set({ nextAt: testBerth.now().toISOString() }).where('id', '=', backupId).execute(),
  )
  testBerth.app.wake('backups')
  await until('a turn', async () => (await testBerth.ok<unknown[]>('backup.runs', { backupId })).length > 0)
  await testBerth.app.transact(async (tx) => {
    await tx.deleteFrom('backupRun').where('backupId', '=', backupId).execute()
    await tx.deleteFrom('backup').where('id', '=', backupId).execute()
  })
}
