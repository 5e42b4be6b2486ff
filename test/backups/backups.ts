/** What the tests of backups share: a storage in which nobody listens, and a clock whose loop has looked. */
import { until } from '../engine/until.ts'
import type { Input, Site } from '../fixtures/site.ts'

/** Gives its id. */
export async function makeDestination(site: Site): Promise<string> {
  const { destinationId } = await site.ok<{ destinationId: string }>('destination.create', {
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
export async function setClock(site: Site, ms: number, given: Input): Promise<void> {
  site.pass(ms)
  const { backupId } = await site.ok<{ backupId: string }>('backup.create', { ...given, schedule: '* * * * *' })
  await site.app.transact((tx) =>
    tx.updateTable('backup').set({ nextAt: site.now().toISOString() }).where('id', '=', backupId).execute(),
  )
  site.app.wake('backups')
  await until('a turn', async () => (await site.ok<unknown[]>('backup.runs', { backupId })).length > 0)
  await site.app.transact(async (tx) => {
    await tx.deleteFrom('backupRun').where('backupId', '=', backupId).execute()
    await tx.deleteFrom('backup').where('id', '=', backupId).execute()
  })
}
