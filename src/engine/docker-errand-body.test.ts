/** Errands in Docker's words, and their answers as curl prints them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, answersIn, curlOf, errandBody } from './docker-errand-body.ts'
import { installationLabel } from './labels.ts'

const place = { installationId: 'mine', networkName: 'berth' }

test('it runs once, on its node, with one thing of it, and may nothing but what it is given', () => {
  const errand = { nodeId: 'n2', image: 'nginx:1', argv: ['du', '-sk', '/x'], source: '/a/{{b', isReadOnly: true,
    capabilities: ['DAC_READ_SEARCH'] }
  const { Name, Labels, TaskTemplate, Mode } = errandBody('errand1', errand, place)
  const { ContainerSpec, RestartPolicy, Placement } = TaskTemplate
  assert.deepEqual([Name, Labels[installationLabel], Mode], ['errand1', 'mine', { Replicated: { Replicas: 1 } }])
  assert.deepEqual([RestartPolicy.Condition, Placement.Constraints], ['none', ['node.id==n2']])
  assert.deepEqual([ContainerSpec.Command, ContainerSpec.CapabilityDrop, ContainerSpec.CapabilityAdd],
    [['du', '-sk', '/x'], ['ALL'], ['CAP_DAC_READ_SEARCH']])
  assert.deepEqual(ContainerSpec.Mounts,
    [{ Type: 'bind', Source: '/a/{{"{{"}}b', Target: '/run/berth', ReadOnly: true }])
})

test('each request has its own options, and the method and path that were asked for', () => {
  const argv = curlOf([{ method: 'GET', path: '/info' }, { method: 'DELETE', path: '/volumes/a%20b' }])
  assert.equal(argv[0], 'curl')
  const [first, second, ...rest] = argv.join(' ').split(' --next ')
  assert.deepEqual(rest, [])
  assert.match(first!, /--unix-socket \/run\/berth --request GET .* http:\/\/engine\/info$/)
  assert.match(second!, /--unix-socket \/run\/berth --request DELETE .* http:\/\/engine\/volumes\/a%20b$/)
})

const cases: [title: string, lines: string[], answers: Answer[]][] = [
  ['nothing', [], []],
  ['one with a body', ['{"a":200}', '', '200'], [{ status: 200, body: '{"a":200}' }]],
  ['one without', ['', '204'], [{ status: 204, body: '' }]],
  ['two', ['{}', '', '200', '{"message":"no"}', '', '404'],
    [{ status: 200, body: '{}' }, { status: 404, body: '{"message":"no"}' }]],
  ['one that broke off', ['{}', '', '200', '{"mess'], [{ status: 200, body: '{}' }]],
]
for (const [title, lines, answers] of cases) {
  test(`answers: ${title}`, () => assert.deepEqual(answersIn(lines), answers))
}
