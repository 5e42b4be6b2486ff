/**
 * How MongoDB is sampled: by a shell that prints the figures and ends, because a shell that stays uses much memory. Source:
 * mongodb.com/docs/manual/reference/command/serverStatus.
 */
import { textFile } from '../../lib/text-file.ts'
import { known, numbersIn, type Sampler, sumOf } from '../sampler.ts'
import { type Login, loginOf, program, programText, verificationOf } from './programs.ts'

const text = programText(textFile('kinds/mongo/programs/sample.js'))

export const mongoSampler: Sampler<Login> = {
  program: (login, address) => program('20', text, loginOf(login, address), verificationOf(address)),
  figures(lines) {
    const numbers = numbersIn(lines, ' ')
    const [requested, misses] = [numbers.get('cacheRequests'), numbers.get('cacheReads')]
    return known({
      connections: numbers.get('connections'),
      connectionsAllowed: sumOf(numbers.get('connections'), numbers.get('available')),
      transactions: numbers.get('operations'),
      cacheHits: sumOf(requested, misses === undefined ? undefined : -misses),
      cacheMisses: misses,
    })
  },
}
