/** How Redis and Valkey are sampled. Source: redis.io/docs/latest/commands/info. */
import { textFile } from '../../lib/text-file.ts'
import { tlsPaths } from '../kind.ts'
import { answerEnd, known, numbersIn, type Sampler, sumOf } from '../sampler.ts'
import { type Login, loginEnv } from './tls.ts'

const script = textFile('kinds/redis/programs/sample.sh', { ca: tlsPaths.ca })

export const redisSampler: Sampler<Login> = {
  program: (login, address) => ({ argv: ['sh', '-c', script], env: loginEnv(login, address) }),
  // Servers before 7.0 do not have `maxclients` in INFO. The answer to CONFIG GET is a line with the name and one with the value.
  question: () => `CLIENT SETNAME berth\nINFO clients\nINFO stats\nCONFIG GET maxclients\nECHO ${answerEnd}\n`,
  figures(lines) {
    const numbers = numbersIn(lines, ':')
    const nameAt = lines.findIndex((line) => line.trim() === 'maxclients')
    const configured = numbersIn([`maxclients:${lines[nameAt + 1]?.trim()}`], ':').get('maxclients')
    return known({
      connections: sumOf(numbers.get('connected_clients'), -1),
      connectionsAllowed: numbers.get('maxclients') ?? configured,
      transactions: numbers.get('total_commands_processed'),
      cacheHits: numbers.get('keyspace_hits'),
      cacheMisses: numbers.get('keyspace_misses'),
    })
  },
}
