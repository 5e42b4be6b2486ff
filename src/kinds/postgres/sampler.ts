/**
 * How PostgreSQL is sampled. Sources: postgresql.org/docs/current/monitoring-stats.html, view-pg-replication-slots.html.
 */
import { textFile } from '../../lib/text-file.ts'
import { answerEnd, known, numberIn, type Sampler } from '../sampler.ts'
import { type Login, ownLoginEnv, psql } from './login.ts'

const sql = (client: string, position: string, difference: string) =>
  textFile('kinds/postgres/programs/sample.sql', { client, position, difference })
    .replace(/^--.*\n/gm, '')
    .replaceAll('\n', ' ')

/** Since version 10, other processes than clients are listed, and functions have other names. */
const newer = sql("backend_type = 'client backend'", 'pg_current_wal_lsn()', 'pg_wal_lsn_diff')
const older = sql('true', 'pg_current_xlog_location()', 'pg_xlog_location_diff')

export const postgresSampler: Sampler<Login> = {
  program: (login, address) => ({ argv: psql, env: ownLoginEnv(login, address) }),
  question: (version) => `${version === '9' ? older : newer}\nSELECT '${answerEnd}';\n`,
  figures([line = '']) {
    const [connections, allowed, transactions, hits, misses, slot, oldest] = line.split('|').map(numberIn)
    return known({
      connections,
      connectionsAllowed: allowed,
      transactions,
      cacheHits: hits,
      cacheMisses: misses,
      replicationSlotBytes: slot,
      oldestTransactionSeconds: oldest,
    })
  },
}
