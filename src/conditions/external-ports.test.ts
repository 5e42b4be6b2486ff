/** The conditions of external ports. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionMessage } from './reason-message.ts'
import { type ExternalPortFact, publishedPortFindings, sourcesFindings } from './databases.ts'

const port: ExternalPortFact = {
  id: 'd1',
  appName: 'orders',
  projectId: 'p1',
  externalPort: 15_432,
  isOpen: false,
  reason: null,
}

const published = { id: 'o1', applicationId: 'web', publishedPort: 8080, protocol: 'tcp' } as const

const table: [title: string, changes: Partial<ExternalPortFact>, expected: string[]][] = [
  ['with an enforced list has no condition', {}, []],
  ['whose gateway is starting has no condition', { reason: { reason: 'SourcesPending' } }, []],
  ['without a list is open to everyone', { isOpen: true }, ['info OpenToEveryone']],
  [
    'without a list has no other condition',
    { isOpen: true, reason: { reason: 'SourcesPending' } },
    ['info OpenToEveryone'],
  ],
  [
    'with a list that HAProxy refuses needs attention',
    { reason: { reason: 'SourcesRefused', detail: 'no answer' } },
    ['warning SourcesNotEnforced'],
  ],
  [
    'with an entry that cannot be enforced needs attention',
    {
      reason: {
        reason: 'SourcesIncomplete',
        faults: [{ reason: 'SourceHidden', source: '::1/128', family: 'ipv6', node: 'web-1' }],
      },
    },
    ['warning SourcesNotEnforced'],
  ],
]
for (const [title, changes, expected] of table) {
  test(`a port ${title}`, () => {
    const findings = sourcesFindings([{ ...port, ...changes }])
    assert.deepEqual(
      findings.map(({ severity, name }) => `${severity} ${name}`),
      expected,
    )
    for (const { subject, projectId } of findings) {
      assert.deepEqual([subject, projectId], [{ kind: 'database', id: 'd1', name: 'orders' }, 'p1'])
    }
    const ofPort = publishedPortFindings([{ ...published, isOpen: port.isOpen, reason: port.reason, ...changes }])
    assert.deepEqual(
      ofPort.map(({ severity, name }) => `${severity} ${name}`),
      expected,
      'a published port has the same rules',
    )
    for (const { subject, projectId } of ofPort) {
      assert.deepEqual([subject, projectId], [{ kind: 'port', id: 'o1', name: '8080/tcp' }, null])
    }
  })
}

test('the messages name the port and what to do', () => {
  const message = (changes: Partial<ExternalPortFact>) =>
    conditionMessage(sourcesFindings([{ ...port, ...changes }])[0]!.reason)
  assert.match(message({ isOpen: true }), /port 15432 .* everyone.*list of allowed sources/)
  assert.match(message({ reason: { reason: 'SourcesRefused', detail: 'no answer' } }), /port 15432.*: .*no answer/)
})
