/**
 * Valid and invalid patterns, and the messages of refusals. test/e2e/proxy-config.test.ts tests the same with Caddy.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../../test/fixtures/processor-time.ts'
import { patternSize } from './pattern-size.ts'
import { urlPattern } from './url-pattern.ts'

const faultOf = (text: string): string => {
  const pattern = urlPattern(text)
  return 'fault' in pattern ? pattern.fault : 'none'
}

test('returns groups by number and by name', () => {
  const pattern = urlPattern('^https://(?P<host>[^/]+)/(a|b)(c)?')
  assert.ok(!('fault' in pattern))
  assert.deepEqual([pattern.groupCount, pattern.groupNames], [3, ['host']])
  const group = pattern.match('https://x.example/b')!
  assert.deepEqual(['0', '1', 'host', '2', '3'].map(group), ['https://x.example/b', 'x.example', 'x.example', 'b', ''])
  assert.equal(pattern.match('http://x.example/b'), null)
})

test('refuses invalid patterns, and names the syntax that RE2 does not support', () => {
  const cases: [string, RegExp][] = [
    ['a(?=b)', /^RE2 has no lookahead and no lookbehind: .*`\(\?=`$/],
    ['a(?!b)', /no lookahead/],
    ['(?<=a)b', /no lookahead and no lookbehind/],
    ['(?<!a)b', /lookbehind/],
    ['(a)\\1', /no backreferences: .*`\\1`/],
    ['(?<n>a)\\k<n>', /no backreferences/],
    ['(?>a)', /no atomic groups/],
    ['a++', /no possessive repetition/],
    ['a*+', /possessive/],
    ['\\C', /does not support this escape/],
    ['a\\Z', /escape/],
    ['(?#x)', /no comments/],
    ['(?x)a', /flags i, m, s and U/],
    ['a{1001}', /too much/],
    ['a{2,1}', /from the smaller number/],
    ['(a{100}){100}', /too much/],
    ['(a', /not a valid RE2 pattern: missing closing \)/],
    ['a)', /unexpected \)/],
    ['[a', /missing closing \]/],
    ['*a', /missing argument to repetition/],
    ['a**', /nested repetition/],
    ['(?<n>a)(?<n>b)', /duplicate/],
    ['(?<1>a)', /must not be a number/],
    ['', /matches every URL/],
    ['a'.repeat(1_001), /at most 1000 characters/],
    ['a\nb', /control characters/],
    ['\ud800', /well-formed/],
  ]
  for (const [text, expected] of cases) assert.match(faultOf(text), expected, text)
})

test('refuses a pattern with a large program without compiling it', () => {
  const largePatterns = [
    '((a{1,1000}){1,1000}){1,10}',
    `(?:${'abcdefghij'.repeat(99)}){1000}`,
    `(?:${'a?'.repeat(480)}){1000}`,
    'x{1000}'.repeat(140),
    '(?i)[^k]{1000}'.repeat(70),
    `${'('.repeat(9)}a{9}${'){9}'.repeat(9)}`,
  ]
  const durationMs = processorMs(() => {
    for (const text of largePatterns) assert.match(faultOf(text), /too much/, text.slice(0, 40))
  })
  assert.ok(durationMs < 500, `${durationMs} ms`)
})

test('accepts common patterns, and estimates the size of patterns', () => {
  const patterns = [
    '^https?://(www\\.)?example\\.org/blog/(\\d{4})/(\\d{2})/([a-z0-9-]{1,63})/?$',
    '(?i)/index\\.(php|html?)$',
    '^(https?)://old\\.example\\.org(?::\\d{1,5})?/([^?#]*)(\\?.*)?$',
    '\\Q[x]\\E[[:alpha:]\\]]+\\p{Greek}\\x{41}',
  ]
  for (const text of patterns) assert.equal(faultOf(text), 'none', text)
  assert.deepEqual(['abc', 'a{3}', '(ab){10}', '[abc]{2,5}', '\\Qab\\E', 'a|b'].map(patternSize), [3, 3, 40, 8, 6, 3])
})

test('quickly matches patterns that are slow in backtracking engines', () => {
  const url = `https://a.example/${'a'.repeat(8_000)}!`
  const durationMs = processorMs(() => {
    for (const text of ['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(a|aa)+$', '(.*a){20}$']) {
      const pattern = urlPattern(text)
      assert.ok(!('fault' in pattern))
      pattern.match(url)
    }
  })
  assert.ok(durationMs < 3_000, `${durationMs} ms`)
})
