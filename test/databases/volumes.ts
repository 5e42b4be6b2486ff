/** Calls about volumes, shared by the tests of volumes. */
import type { DatabaseClients } from '../fixtures/database-clients.ts'
import type { Input, TestBerth } from '../fixtures/test-berth.ts'

/** A volume in a response. */
export interface Volume {
  volumeId: string
  name: string
  kind: string
  version: string | null
  dataPath: string
  node: string
  state: string
  databaseId: string | null
  appName: string
  dockerImage: string
  createdAt: string
  keptAt: string | null
  copyOf: string | null
}

export const allVolumes = (testBerth: TestBerth) => testBerth.ok<Volume[]>('volume.all')

/** Creates a kept volume: deploys a database and removes it. */
export async function createKeptVolume(
  testBerth: TestBerth,
  databaseClients: DatabaseClients,
  more: Input = {},
): Promise<Volume> {
  const database = await databaseClients.createDeployed(more)
  await databaseClients.remove(database)
  return (await allVolumes(testBerth)).find(({ name }) => name === database.volume)!
}
