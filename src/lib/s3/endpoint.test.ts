/** Tests the URL of an endpoint and path style. test/backups/destination.test.ts tests which endpoints are accepted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointUrl, wantsPathStyle } from './endpoint.ts'

test('adds https to a host without a scheme, and keeps the scheme, port and path of a URL', () => {
  const cases = {
    's3.example.org': 'https://s3.example.org/',
    'localhost:9000': 'https://localhost:9000/',
    'http://10.0.0.1:9000': 'http://10.0.0.1:9000/',
    'HTTPS://X.example/a/s3': 'https://x.example/a/s3',
  }
  for (const [text, expected] of Object.entries(cases)) assert.equal(endpointUrl(text)?.href, expected)
})

test('puts the bucket into the path, except for providers that need it in the host name', () => {
  const isPath = (endpoint: string, bucket = 'backups') => wantsPathStyle(endpointUrl(endpoint)!, bucket)
  assert.deepEqual(
    [isPath('minio:9000'), isPath('s3.eu-central-1.amazonaws.com'), isPath('https://oss.aliyuncs.com')],
    [true, false, false],
  )
  assert.deepEqual([isPath('s3.amazonaws.com', 'a.b'), isPath('amazonaws.com.example.org')], [true, true])
})
