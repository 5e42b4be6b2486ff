/** Tests of the planner of `berth apply` as a table: rules of applications, and certificates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PlanCase, linesOf, rule, redirect, redirects, web } from './plan-fixture.ts'

const plans: PlanCase[] = [
  [
    'creates redirects in the order of the file',
    redirects('a', 'b'),
    {},
    [
      'create redirect of web: a (regex: null → a, replacement: null → https://x, permanent: null → false)',
      'create redirect of web: b (regex: null → b, replacement: null → https://x, permanent: null → false)',
    ],
  ],
  [
    'gives redirects another order',
    redirects('b', 'a'),
    { redirects: [redirect('a'), redirect('b')] },
    ['change redirect of web: b (regex: a → b)', 'change redirect of web: a (regex: b → a)'],
  ],
  [
    'finds the rules of an application by any of its names',
    redirects('a').replace('web', 'shop-web'),
    { applications: [web], redirects: [redirect('a'), redirect('c')] },
    ['beside: redirect of web: c'],
  ],
  [
    'creates users and keeps those that exist',
    'applications: {web: {users: {alice: "${env:KEY}", bob: "${env:KEY}"}}}',
    {
      securities: [
        rule('', { securityId: 'u1', username: 'bob' }),
        rule('', { securityId: 'u2', username: 'eve' }),
      ] as never,
    },
    ['create user of web: alice (password: *)', 'beside: user of web: eve'],
  ],
  [
    'publishes ports',
    'applications: {web: {ports: [8080:80, 53/udp, 99]}}',
    {
      ports: [
        rule('', { portId: 'o1', publishedPort: 53, targetPort: 54, protocol: 'udp' }),
        rule('', { portId: 'o2', publishedPort: 99, targetPort: 99, protocol: 'tcp', applicationId: 'dns' }),
        rule('', { portId: 'o3', publishedPort: 98, targetPort: 99, protocol: 'tcp' }),
      ] as never,
    },
    [
      'create port of web: 8080 (targetPort: null → 80)',
      'change port of web: 53/udp (targetPort: 54 → 53)',
      'beside: port of web: 98:99',
      'no: port of web: 99: the port leads to dns. Remove that rule, or choose a port',
    ],
  ],
  [
    'refuses a certificate that is none',
    'certificates: {a: {certificate: x, privateKey: "${env:KEY}"}}',
    {},
    ['no: certificate a: certificate is not a certificate in PEM form'],
  ],
]

for (const [name, text, state, lines] of plans) test(name, () => assert.deepEqual(linesOf(text, state), lines))

const fingerprint = '8A:CB'
const certificate = (fields: object) =>
  ({
    certificateId: 'c1',
    name: 'a',
    autoRenew: false,
    renewedAt: null,
    fingerprint256: fingerprint,
    ...fields,
  }) as never
const certificates = (fields = '') =>
  `certificates: {a: {certificate: "\${env:PEM}", privateKey: "\${env:KEY}"${fields}}}`

test('replaces a certificate: creates the new one, then removes the old one', () => {
  const lines = linesOf(certificates(), { certificates: [certificate({})] })
  assert.deepEqual(
    lines.map((line) => line.split(' (')[0]),
    ['change certificate a', 'remove certificate a'],
  )
})

test('keeps a certificate that the proxy has renewed', () => {
  const renewed = certificate({ autoRenew: true, renewedAt: '2030-01-01T00:00:00Z' })
  assert.deepEqual(linesOf(certificates(', autoRenew: true'), { certificates: [renewed] }), [])
})
