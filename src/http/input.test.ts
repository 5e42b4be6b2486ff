import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../errors.ts'
import { checkContentType, inputOfQuery, parseBody } from './input.ts'

const bytes = (text: string) => Buffer.from(text)

test('parses one JSON object; an empty body is an empty input', () => {
  assert.deepEqual(parseBody(bytes('')), {})
  assert.deepEqual(parseBody(bytes('{}')), {})
  assert.deepEqual(parseBody(bytes(' {"a": [1, "ü😀"]}\n')), { a: [1, 'ü😀'] })
  assert.deepEqual(parseBody(bytes('\ufeff{"a": 1}')), { a: 1 })
  assert.deepEqual(parseBody(bytes('{"a": "\\ud83d\\ude00"}')), { a: '😀' })
})

test('refuses a body that is not a JSON object, with a message', () => {
  const cases: [Buffer, RegExp][] = [
    [bytes('nope'), /^The body is not JSON\. Send one JSON object$/],
    [bytes('{"a": 1,\n "b" 2}'), /^The body is not JSON \(line 2 column 6\)/],
    [bytes('{"a": 1'), /^The body is not JSON/],
    [bytes(' '), /^The body is not JSON/],
    [bytes('[]'), /must be one JSON object/],
    [bytes('null'), /must be one JSON object/],
    [bytes('"text"'), /must be one JSON object/],
    [bytes('7'), /must be one JSON object/],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
    [Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
    [bytes('{"a": "\\ud800"}'), /half of a UTF-16 surrogate pair/],
    [bytes('{"a": {"\\uDfff": 1}}'), /half of a UTF-16 surrogate pair/],
  ]
  for (const [body, messagePattern] of cases) {
    assert.throws(
      () => parseBody(body),
      (error) => error instanceof Refusal && error.code === 'BAD_REQUEST' && messagePattern.test(error.message),
      String(body),
    )
  }
})

test('the keys __proto__ and constructor change no prototype', () => {
  const input = parseBody(bytes('{"__proto__": {"admin": true}, "constructor": {"prototype": {"admin": true}}}'))
  assert.equal(({} as { admin?: boolean }).admin, undefined)
  assert.equal(Object.getPrototypeOf(input), Object.prototype)
  assert.deepEqual(Object.keys(input), ['__proto__', 'constructor'])
})

test('reads a deeply nested body', () => {
  const depth = 200_000
  assert.deepEqual(Object.keys(parseBody(bytes(`{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}`))), ['a'])
})

test('accepts JSON with any parameters or no content type, and refuses other types unless the body is empty', () => {
  const length = { 'content-length': '2' }
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON ;x=y', undefined]) {
    checkContentType({ ...length, ...(type === undefined ? {} : { 'content-type': type }) })
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/ld+json',
    'json',
    '',
  ]) {
    assert.throws(() => checkContentType({ ...length, 'content-type': type }), { code: 'UNSUPPORTED_MEDIA_TYPE' }, type)
    checkContentType({ 'content-length': '0', 'content-type': type })
    checkContentType({ 'content-type': type })
  }
  assert.throws(() => checkContentType({ 'transfer-encoding': 'chunked', 'content-type': 'text/plain' }))
})

test('refuses a repeated query parameter and names it', () => {
  assert.deepEqual(inputOfQuery({ a: '1', b: '' }), { a: '1', b: '' })
  assert.throws(() => inputOfQuery({ a: ['1', '2'], b: '3', c: ['4', '4', '4'] }), {
    code: 'BAD_REQUEST',
    message: 'a: must be sent only once; c: must be sent only once',
    issues: [
      { path: 'a', message: 'must be sent only once' },
      { path: 'c', message: 'must be sent only once' },
    ],
  })
})
