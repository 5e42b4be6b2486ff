/** Runs SQL in the container of a database, as a client on its node that logs in with the password that Berth has. */
import type { FaultCluster } from './cluster.ts'

/**
 * @returns the output
 * @throws if the database has no container, or psql fails
 */
export async function runSql({ ok, workers }: FaultCluster, postgresId: string, sql: string): Promise<string[]> {
  const { appName, databasePassword } = await ok<Record<string, string>>('postgres.one', { postgresId })
  // Fails while Berth does not reach the engine of the node.
  await ok('postgres.stats', { postgresId })
  for (const worker of workers) {
    const filter = `label=com.docker.swarm.service.name=${appName}`
    const [id] = await worker.docker('ps', '--quiet', '--filter', filter)
    if (id === undefined) continue
    // A login over loopback proves nothing: the official images accept every login there.
    const program = 'exec psql --host="$(hostname -i | cut -d" " -f1)" --username=shop --dbname=shop -qtAc "$SQL"'
    const variables = [`PGPASSWORD=${databasePassword}`, `SQL=${sql}`]
    return worker.docker('exec', ...variables.flatMap((it) => ['--env', it]), id, 'sh', '-c', program)
  }
  throw new Error(`${appName} has no container`)
}
