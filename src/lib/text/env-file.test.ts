/** Compares valid texts with Node's own parser, and tests faulty texts and texts that Node reads incorrectly. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { processorMs } from '../../../test/fixtures/processor-time.ts'
import { parseEnvFile } from './env-file.ts'

const valuesOf = (text: string) => ({ ...parseEnvFile(text).values })

const valid: [text: string, values: Record<string, string>][] = [
  ['', {}],
  ['\n\n', {}],
  ['# only a comment', {}],
  ['A=1', { A: '1' }],
  ['A=1\nB=2\n', { A: '1', B: '2' }],
  ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
  ['\n# c = d\n\nA=1\n  # indented\nB=2', { A: '1', B: '2' }],
  ['A=', { A: '' }],
  ['A=\n\nB=1', { A: '', B: '1' }],
  ['A = x', { A: 'x' }],
  ['\tA=\tx y\t', { A: 'x y' }],
  ['export A=1\nexport   B="2"', { A: '1', B: '2' }],
  ['export=1\nexportA=2', { export: '1', exportA: '2' }],
  ['A=x # comment "quoted"', { A: 'x' }],
  ['A= # comment', { A: '' }],
  ['A=x\t# comment', { A: 'x' }],
  ['A="x # y" # comment', { A: 'x # y' }],
  ['A="x"#comment', { A: 'x' }],
  ['A=" x "', { A: ' x ' }],
  ["A='x\"y`z'", { A: 'x"y`z' }],
  ['A="x\'y`z"', { A: "x'y`z" }],
  ['A=`x"y\'z` # c', { A: 'x"y\'z' }],
  ['A=""\nB=\'\'\nC=``', { A: '', B: '', C: '' }],
  ['A="x\ny"\nB=2', { A: 'x\ny', B: '2' }],
  ["A='x\r\ny\r\n'\r\nB=2", { A: 'x\ny\n', B: '2' }],
  ['A="x\\ny\\tz"', { A: 'x\ny\\tz' }],
  ["A='x\\ny'", { A: 'x\\ny' }],
  ['A="x\\\\"', { A: 'x\\\\' }],
  ['A=x\\\nB=2', { A: 'x\\', B: '2' }],
  ['A=$B ${C} $(d) `e`', { A: '$B ${C} $(d) `e`' }],
  ['A=it\'s\nB=a"b"c', { A: "it's", B: 'a"b"c' }],
  ['A=x=y==', { A: 'x=y==' }],
  ['a-b=1\nA.B=2\n_=3', { 'a-b': '1', 'A.B': '2', _: '3' }],
  ['A=ünï 😀', { A: 'ünï 😀' }],
  ['A=x\u00a0', { A: 'x\u00a0' }],
  ['constructor=1\ntoString=2', { constructor: '1', toString: '2' } as unknown as Record<string, string>],
]

test('parses valid texts as Node does', () => {
  for (const [text, values] of valid) {
    assert.deepEqual(parseEnvFile(text).faults, [], JSON.stringify(text))
    assert.deepEqual(valuesOf(text), values, JSON.stringify(text))
    assert.deepEqual({ ...parseEnv(text) }, values, `Node: ${JSON.stringify(text)}`)
  }
})

test('ignores a byte order mark before the text', () => {
  assert.deepEqual(parseEnvFile('\ufeffA=1\r\nB=2').faults, [])
  assert.deepEqual(valuesOf('\ufeffA=1\r\nB=2'), { A: '1', B: '2' })
})

/** Texts that the parser of Node 26.10 reads incorrectly. */
const misreadByNode: [text: string, values: Record<string, string>, node: Record<string, string | undefined>][] = [
  ['A=  \nB=2', { A: '', B: '2' }, { A: 'B=2' }],
  ['export A=\nB=2', { A: '', B: '2' }, { 'export A': '', B: '2' }],
  ['A="x"\n  # b=c\nB=2', { A: 'x', B: '2' }, { A: 'x', '# b': 'c', B: '2' }],
]

test('parses correctly the lines that Node reads incorrectly', () => {
  for (const [text, values, node] of misreadByNode) {
    assert.deepEqual(parseEnvFile(text).faults, [], JSON.stringify(text))
    assert.deepEqual(valuesOf(text), values, JSON.stringify(text))
    assert.deepEqual({ ...parseEnv(text) }, node, `Node: ${JSON.stringify(text)}`)
  }
})

test('accepts names of properties of Object.prototype', () => {
  const { values, faults } = parseEnvFile('__proto__=x')
  assert.deepEqual(faults, [])
  assert.equal(Object.getPrototypeOf(values), null)
  assert.deepEqual(Object.entries(values), [['__proto__', 'x']])
})

const faulty: [text: string, lines: number[], message: RegExp][] = [
  ['A=1\nB', [2], /has no =/],
  ['A', [1], /has no =/],
  ['=1', [1], /the name before =/],
  ['A=1\n 1A=2', [2], /the name before =/],
  ['A B=1', [1], /the name before =/],
  ['export\tA=1', [1], /the name before =/],
  ['Ä=1', [1], /the name before =/],
  ['A=1\n\ufeffB=1', [2], /contains an invisible character \(U\+FEFF\)/],
  ['A\u200b=1', [1], /contains an invisible character \(U\+200B\)/],
  ['\u00a0A=1', [1], /contains an invisible character \(U\+00A0\)/],
  ['A="x', [1], /the quote " has no end/],
  ["A='x\nB=1", [1], /the quote ' has no end/],
  ['A=1\nB=`x', [2], /the quote ` has no end/],
  ['A="x"y', [1], /text after the closing "/],
  ['A="x\ny"z\nB', [2, 3], /text after the closing "/],
  ['A="x\\"y"', [1], /text after the closing "/],
  ['A=x#y', [1], /a # in a value without quotes/],
  ['A=#y', [1], /a # in a value without quotes/],
  ['A=1\nB=2\nA=3', [3], /A is set twice/],
  ['__proto__=1\n__proto__=2', [2], /__proto__ is set twice/],
  ['A=1\nB=\0', [2], /control character/],
  ['A="x\n\u0001y"', [2], /control character/],
  ['A=1\rB=2', [1], /control character/],
  ['# \u007f', [1], /control character/],
  ['A=\ud800', [1], /half a character/],
  ['A="1\n2"\n\nB', [4], /has no =/],
]

test('reports faults with their line and a remedy', () => {
  for (const [text, lines, message] of faulty) {
    const { faults } = parseEnvFile(text)
    assert.deepEqual(
      faults.map(({ line }) => line),
      lines,
      JSON.stringify(text),
    )
    assert.match(faults[0]!.message, message, JSON.stringify(text))
  }
})

test('a fault does not affect other lines, and no message quotes a value', () => {
  const { values, faults } = parseEnvFile('A=1\nsecret\nB="2" secret\nC=3\nD="secret')
  assert.deepEqual({ ...values }, { A: '1', C: '3' })
  assert.deepEqual(
    faults.map(({ line }) => line),
    [2, 3, 5],
  )
  assert.ok(!JSON.stringify(faults).includes('secret'))
})

test('parses the longest allowed text in little processor time', () => {
  const took = processorMs(() => {
    for (const part of [' ', '\t=', '\n', 'x\n', 'A=\n', ' #', 'A=" ', "A='\n", '= ', '"', 'A= x']) {
      parseEnvFile(part.repeat(65_536 / part.length))
      parseEnvFile(`${part.repeat(65_536 / part.length)}x`)
    }
  })
  assert.ok(took < 2000, `${took} ms`)
})
