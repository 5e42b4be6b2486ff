/** Keys of all types of Redis, in all encodings, for the tests of dumps. */

/** 2100-01-01, in milliseconds. */
const farMs = 4_102_444_800_000

const range = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))

/** Commands that work in all versions. */
const common: readonly string[][] = [
  ['SET', 'number', '12345'],
  ['SET', 'negative', '-70000'],
  ['SET', 'text', 'é☃😀 "quoted" \r\n'],
  ['SET', 'compressible', 'ab'.repeat(3000)],
  ['SET', 'empty', ''],
  ['SET', 'expires', 'x', 'PXAT', String(farMs)],
  ['RPUSH', 'list', 'a', '1', '-300', '70000', '123456789012', 'x'.repeat(70), 'y'.repeat(5000)],
  ['RPUSH', 'long list', ...range(3000, (i) => `element ${i} ${'z'.repeat(i % 97)}`)],
  ['RPUSH', 'list of large elements', 'p'.repeat(2_000_000), 'small'],
  ['SADD', 'numbers', '1', '-2', '300'],
  ['SADD', 'large numbers', '1', '-70000', '1099511627776'],
  ['SADD', 'texts', 'a', 'b', '12'],
  ['SADD', 'many texts', ...range(1000, (i) => `member ${i}`)],
  ['HSET', 'hash', 'field', 'value', 'number', '7', 'long', 'w'.repeat(60)],
  ['HSET', 'large hash', ...range(1000, (i) => [`field ${i}`, `value ${i}`]).flat()],
  ['ZADD', 'scores', '1', 'one', '2.5', 'two and a half', '-inf', 'least', 'inf', 'most', '1e300', 'large'],
  ['ZADD', 'many scores', ...range(1000, (i) => [String(i / 3), `member ${i}`]).flat()],
  ...range(300, (i) => ['XADD', 'stream', `1000-${i + 1}`, 'a', `value ${i}`, ...(i % 7 === 0 ? ['b', 'c'] : [])]),
  ['XDEL', 'stream', '1000-5', '1000-6'],
  ['XGROUP', 'CREATE', 'stream', 'readers', '1000-30'],
  ['XREADGROUP', 'GROUP', 'readers', 'ann', 'COUNT', '5', 'STREAMS', 'stream', '>'],
  ['PFADD', 'estimate', ...range(100, String)],
  ['SETBIT', 'bits', '10000', '1'],
  ['GEOADD', 'places', '13.4', '52.5', 'Berlin'],
  ['PEXPIREAT', 'hash', String(farMs)],
  ['SELECT', '9'],
  ['SET', 'in the tenth database', '9'],
  ['SELECT', '0'],
]

const library = "#!lua name=sample\nredis.register_function('one', function() return 1 end)"

/** @param image the image of the server */
export const redisSamples = (image: string): readonly string[][] => [
  ...common,
  ['FUNCTION', 'LOAD', 'REPLACE', library],
  // Fields expire since Redis 7.4 and Valkey 9.
  ...(image === 'redis:7'
    ? []
    : [
        ['HSET', 'leases', 'a', '1', 'b', '2'],
        ['HPEXPIREAT', 'leases', String(farMs), 'FIELDS', '1', 'a'],
        ['HSET', 'many leases', ...range(600, (i) => [`f${i}`, String(i)]).flat()],
        ['HPEXPIREAT', 'many leases', String(farMs), 'FIELDS', '200', ...range(200, (i) => `f${3 * i}`)],
      ]),
]

/** Further keys, so that a load takes some time. */
export const manyKeys = (count: number): readonly string[][] =>
  range(count / 1000, (i) => ['MSET', ...range(1000, (j) => [`key ${i * 1000 + j}`, `value ${j} of ${i}`]).flat()])

/** Keys that expire after a moment, one after another. */
export const fleetingKeys = (count: number): readonly string[][] =>
  range(count, (i) => ['SET', `fleeting ${i}`, 'x', 'PX', String(1000 + i)])
