import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedQuery } from './presign.ts'

test('signs the example of the protocol', () => {
  // Source: docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
  const key = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  }
  const request = { hostname: 'examplebucket.s3.amazonaws.com', path: '/test.txt' }
  const query = signedQuery(key, request, 86_400, new Date('2013-05-24T00:00:00Z'))
  assert.equal(query['X-Amz-Credential'], 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request')
  assert.equal(query['X-Amz-Signature'], 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
})
