/**
 * How MySQL and MariaDB are sampled. Sources: dev.mysql.com/doc/refman/8.4/en/server-status-variables.html,
 * mariadb.com/kb/en/server-status-variables.
 */
import { answerEnd, known, numbersIn, type Sampler, sumOf } from '../sampler.ts'
import { type ClientDialect, client, type Credentials, envOf } from './programs.ts'

const names = [
  'Threads_connected',
  'Handler_commit',
  'Handler_rollback',
  'Innodb_buffer_pool_read_requests',
  'Innodb_buffer_pool_reads',
]
const question = [
  `SHOW GLOBAL STATUS WHERE Variable_name IN (${names.map((name) => `'${name}'`).join(', ')});`,
  "SHOW GLOBAL VARIABLES LIKE 'max_connections';",
  `SELECT '${answerEnd}';`,
].join('\n')

/** Without `--unbuffered` the client prints nothing before it ends. */
export function mysqlSampler(dialect: ClientDialect): Sampler<Credentials> {
  const script = `${client(dialect)}log_in --user=root --unbuffered\n`
  return {
    program: ({ databaseRootPassword }, address) => ({
      argv: ['sh', '-c', script],
      env: envOf(databaseRootPassword, address),
    }),
    question: () => `${question}\n`,
    figures(lines) {
      const [connected, commits, rollbacks, reads, misses, allowed] = [...names, 'max_connections'].map((name) =>
        numbersIn(lines, '\t').get(name),
      )
      return known({
        connections: sumOf(connected, -1),
        connectionsAllowed: allowed,
        transactions: sumOf(commits, rollbacks),
        cacheHits: sumOf(reads, misses === undefined ? undefined : -misses),
        cacheMisses: misses,
      })
    },
  }
}
