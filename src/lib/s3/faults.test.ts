/** Tests faults that the storage of the end-to-end tests cannot produce. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxiesOf, proxyUrlOf } from '../net/outgoing-proxy.ts'
import { AbandonedUpload, explain, StorageFault } from '../storage/faults.ts'
import { faultOf, timeoutFault } from './faults.ts'

const context = { verb: 'write', host: 's3.example.org', bucket: 'backups', region: 'us-east-1', now: () => 0 } as const

const responseFault = (status: number, name: string, more: object = {}) =>
  faultOf({ name, message: 'raw text with a-secret', $metadata: { httpStatusCode: status }, ...more }, context)

test('finds the right region in the answer, its header or its message', () => {
  const answers = [
    responseFault(400, 'AuthorizationHeaderMalformed', { Region: 'eu-west-1' }),
    responseFault(301, 'PermanentRedirect', { $response: { headers: { 'x-amz-bucket-region': 'eu-west-1' } } }),
    responseFault(400, 'AuthorizationHeaderMalformed', { message: "the region 'x' is wrong; expecting 'eu-west-1'" }),
  ]
  for (const { kind, message } of answers) {
    assert.deepEqual(
      [kind, message],
      ['region', 'The bucket backups is not in the region "us-east-1". The right one is eu-west-1'],
    )
  }
  assert.match(responseFault(301, 'Unknown').message, /Look up the region of the bucket$/)
  assert.match(responseFault(301, 'PermanentRedirect', { Region: '<script>' }).message, /Look up the region/)
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
  for (const [status, kind] of kinds) assert.equal(responseFault(status, 'Unknown').kind, kind)
})

test('faults that a retry can remove are transient, and wrong settings are not', () => {
  const transient = [
    responseFault(503, 'SlowDown'),
    responseFault(400, 'RequestTimeout'),
    responseFault(400, 'BadDigest'),
    responseFault(403, 'RequestTimeTooSkewed'),
    ...['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'EHOSTUNREACH', 'EAI_AGAIN', 'ETIMEDOUT'].map((code) =>
      faultOf({ code }, context),
    ),
  ]
  assert.deepEqual(
    transient.filter(({ isTransient }) => !isTransient),
    [],
  )
  const permanent = [
    responseFault(403, 'InvalidAccessKeyId'),
    responseFault(403, 'AccessDenied'),
    responseFault(404, 'NoSuchBucket'),
    faultOf({ code: 'ENOTFOUND' }, context),
    faultOf({ code: 'CERT_HAS_EXPIRED' }, context),
  ]
  assert.deepEqual(
    permanent.filter(({ isTransient }) => isTransient),
    [],
  )
})

test('names the proxy in faults that it can have caused, and no others', () => {
  const httpProxy = proxyUrlOf('http://ann:hidden@proxy.example:3128')
  const proxy = proxiesOf({ httpProxy, httpsProxy: null, direct: [] })({ protocol: 'http:', host: 's3', port: 80 })
  const byProxy = { ...context, proxy }
  const faultsOf = (status: number, name: string) => faultOf({ name, $metadata: { httpStatusCode: status } }, byProxy)
  const faults = [faultsOf(503, 'Unknown'), faultsOf(403, 'Error'), timeoutFault(byProxy, 5000), faultsOf(407, 'Error')]
  for (const { message } of faults) assert.match(message, /proxy proxy\.example:3128 \(HTTP_PROXY\)/)
  assert.equal(faults.at(-1)!.kind, 'proxy')
  const own = faultsOf(404, 'NoSuchBucket')
  assert.doesNotMatch(JSON.stringify([...faults, own].map(({ message }) => message)), /hidden/)
  assert.doesNotMatch(own.message, /proxy/)
})

test('messages contain no text of the server or the SDK', () => {
  const raw = [
    responseFault(400, 'InvalidArgument'),
    responseFault(400, 'a-secret <b>'),
    responseFault(403, 'AccessDenied'),
    faultOf('a-secret', context),
    faultOf(new Error('a-secret'), context),
    faultOf({ code: 'a-secret' }, context),
    faultOf(null, context),
    faultOf({ code: 'EPROTO', message: 'a-secret' }, context),
  ]
  for (const fault of raw) assert.ok(fault instanceof StorageFault && !explain(fault).includes('a-secret'))
  assert.match(explain(raw[0]), /refused to write: InvalidArgument \(HTTP 400\)$/)
  assert.match(explain(new Error('a-secret')), /^The request to the storage failed/)
})

test('the message for an upload that could not be aborted begins with the cause', () => {
  const text = explain(new AbandonedUpload('id', faultOf({ code: 'ECONNRESET' }, context)))
  assert.match(text, /^The connection to s3\.example\.org broke .*\. The uploaded parts could not be deleted either$/)
})
