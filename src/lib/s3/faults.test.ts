/** Tests faults of storages and connections that the storage of the end-to-end tests does not have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain, faultOf, AbandonedUpload, StorageFault } from './faults.ts'

const tried = { verb: 'write', host: 's3.example.org', bucket: 'backups', region: 'us-east-1', now: () => 0 } as const

const said = (status: number, name: string, more: object = {}) =>
  faultOf({ name, message: 'raw text with a-secret', $metadata: { httpStatusCode: status }, ...more }, tried)

test('finds the right region in the answer, its header or its message', () => {
  const answers = [
    said(400, 'AuthorizationHeaderMalformed', { Region: 'eu-west-1' }),
    said(301, 'PermanentRedirect', { $response: { headers: { 'x-amz-bucket-region': 'eu-west-1' } } }),
    said(400, 'AuthorizationHeaderMalformed', { message: "the region 'x' is wrong; expecting 'eu-west-1'" }),
  ]
  for (const { kind, message } of answers) {
    assert.deepEqual(
      [kind, message],
      ['region', 'The bucket backups is not in the region "us-east-1". The right one is eu-west-1'],
    )
  }
  assert.match(said(301, 'Unknown').message, /Look up the region of the bucket$/)
  assert.match(said(301, 'PermanentRedirect', { Region: '<script>' }).message, /Look up the region/)
})

test('classifies answers without a body by their status', () => {
  const kinds = [
    [403, 'rights'],
    [404, 'missing'],
    [500, 'busy'],
    [503, 'busy'],
    [429, 'busy'],
    [418, 'answer'],
  ] as const
  for (const [status, kind] of kinds) assert.equal(said(status, 'Unknown').kind, kind)
})

test('retries transient faults, and does not retry wrong settings', () => {
  const passing = [
    said(503, 'SlowDown'),
    said(400, 'RequestTimeout'),
    said(400, 'BadDigest'),
    said(403, 'RequestTimeTooSkewed'),
    ...['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'EHOSTUNREACH', 'EAI_AGAIN', 'ETIMEDOUT'].map((code) =>
      faultOf({ code }, tried),
    ),
  ]
  assert.deepEqual(
    passing.filter(({ isTransient }) => !isTransient),
    [],
  )
  const lasting = [
    said(403, 'InvalidAccessKeyId'),
    said(403, 'AccessDenied'),
    said(404, 'NoSuchBucket'),
    faultOf({ code: 'ENOTFOUND' }, tried),
    faultOf({ code: 'CERT_HAS_EXPIRED' }, tried),
  ]
  assert.deepEqual(
    lasting.filter(({ isTransient }) => isTransient),
    [],
  )
})

test('messages contain no text of the server or the SDK', () => {
  const raw = [
    said(400, 'InvalidArgument'),
    said(400, 'a-secret <b>'),
    said(403, 'AccessDenied'),
    faultOf('a-secret', tried),
    faultOf(new Error('a-secret'), tried),
    faultOf({ code: 'a-secret' }, tried),
    faultOf(null, tried),
    faultOf({ code: 'EPROTO', message: 'a-secret' }, tried),
  ]
  for (const fault of raw) assert.ok(fault instanceof StorageFault && !explain(fault).includes('a-secret'))
  assert.match(explain(raw[0]), /refused to write: InvalidArgument \(HTTP 400\)$/)
  assert.match(explain(new Error('a-secret')), /^The storage could not be used/)
})

test('explains an upload that could not be aborted by its cause', () => {
  const text = explain(new AbandonedUpload('id', faultOf({ code: 'ECONNRESET' }, tried)))
  assert.match(text, /^The connection to s3\.example\.org broke .*\. What was sent of it could not be deleted either$/)
})
