/** The conditions of the engine, the nodes, the proxy, the registry and the sign-ins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailedSignIns } from '../accounts/failed-sign-ins.ts'
import { toJson } from '../lib/json.ts'
import type { Finding } from './finding.ts'
import {
  engineFindings,
  nodeEngineFindings,
  nodeFindings,
  proxyFindings,
  registryFindings,
  signInFindings,
} from './infrastructure.ts'

const textOf = ({ name, severity, subject }: Finding) => `${name} ${severity} ${subject.kind} ${subject.name}`

const node = {
  id: 'n1',
  hostname: 'web-1',
  state: 'ready',
  since: '2030-01-01T00:00:00.000Z',
  deploymentId: null,
  force: 0,
  availability: '',
} as const
const port = { nodeId: 'n1', hostname: 'web-1', state: 'unreachable', reason: null, since: node.since } as const
const server = { id: 'registry', goal: 'up', deploymentId: null, status: 'error', reason: null } as const
const down = ['RegistryDown critical registry berth-registry']

const cases: [title: string, findings: Finding[], expected: string[]][] = [
  ['nothing if the engine answers', engineFindings(true), []],
  ['an engine that does not answer', engineFindings(false), ['EngineDown critical engine Docker engine']],
  ['nothing if a node is ready', nodeFindings([node]), []],
  ['nothing if the state of a node is unknown', nodeFindings([{ ...node, state: 'unknown' }]), []],
  ['a node that is down', nodeFindings([node, { ...node, state: 'down' }]), ['NodeDown critical node web-1']],
  ['a disconnected node', nodeFindings([{ ...node, state: 'disconnected' }]), ['NodeDown critical node web-1']],
  ['nothing if the node is being removed', nodeFindings([{ ...node, state: 'down', deploymentId: 'd1' }]), []],
  ['nothing if an engine is starting', nodeEngineFindings([{ ...port, state: 'starting' }], [node]), []],
  ['nothing if an engine is unavailable', nodeEngineFindings([{ ...port, state: 'unavailable' }], [node]), []],
  [
    'an engine that cannot be reached',
    nodeEngineFindings([port], [node]),
    ['NodeEngineUnreachable critical node web-1'],
  ],
  [
    'nothing if the node with the engine is being removed',
    nodeEngineFindings([port], [{ ...node, deploymentId: 'd1' }]),
    [],
  ],
  ['nothing if the proxy serves', proxyFindings(null), []],
  ['a proxy that does not serve', proxyFindings('no answer'), ['ProxyDown critical proxy proxy']],
  ['nothing without a registry', registryFindings(undefined), []],
  ['a registry that does not work', registryFindings(server), down],
  ['nothing if the registry works', registryFindings({ ...server, status: 'done' }), []],
  ['nothing if the registry is being changed', registryFindings({ ...server, deploymentId: 'd1' }), []],
  ['nothing if the registry is being removed', registryFindings({ ...server, goal: 'gone' }), []],
]
for (const [title, findings, expected] of cases) {
  test(`reports ${title}`, () => {
    assert.deepEqual(findings.map(textOf), expected)
  })
}

test('reports the cause of a registry that does not work', () => {
  const cause = { reason: 'RegistryLoginFailed', detail: 'refused' } as const
  assert.deepEqual(registryFindings({ ...server, reason: toJson(cause) })[0]?.reason, {
    reason: 'RegistryFailed',
    cause,
  })
})

const of = (name: string | null, passwords: number, codes = 0): FailedSignIns => ({
  account: name === null ? null : { id: name, email: `${name}@example.org` },
  passwords,
  codes,
})
const ofAda = 'SignInsFailing warning account ada@example.org'
const ofAll = 'SignInsFailing warning installation Berth'
const signIns: [title: string, failed: FailedSignIns[], expected: string[]][] = [
  ['nothing after 9 wrong passwords', [of('ada', 9)], []],
  ['10 wrong passwords for an account', [of('ada', 10), of('bob', 3)], [ofAda]],
  ['5 wrong codes for an account', [of('ada', 0, 5)], [ofAda]],
  ['30 attempts on several accounts', [of('ada', 9), of('bob', 9), of(null, 12)], [ofAll]],
  ['an attacked account and attempts on others', [of('ada', 40), of(null, 30)], [ofAda, ofAll]],
  ['nothing after 29 attempts on an unknown account', [of(null, 29)], []],
]
for (const [title, failed, expected] of signIns) {
  test(`reports ${title}`, () => {
    assert.deepEqual(signInFindings(failed).map(textOf), expected)
  })
}
