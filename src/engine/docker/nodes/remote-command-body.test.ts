/** Remote commands as request bodies, and their answers as curl prints them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { answersIn, curlOf, remoteCommandBody, outputIn } from './remote-command-body.ts'
import { installationLabel } from '../../labels.ts'

const place = { installationId: 'mine', networkName: 'berth' }

test('runs once on its node, with one mount and only the given capabilities', () => {
  const remoteCommand = {
    nodeId: 'n2',
    image: 'nginx:1',
    argv: ['du', '-sk', '/x'],
    source: '/a/{{b',
    isReadOnly: true,
    capabilities: ['DAC_READ_SEARCH'],
  }
  const { Name, Labels, TaskTemplate, Mode } = remoteCommandBody('errand1', remoteCommand, place)
  const { ContainerSpec, RestartPolicy, Placement } = TaskTemplate
  assert.deepEqual([Name, Labels[installationLabel], Mode], ['errand1', 'mine', { Replicated: { Replicas: 1 } }])
  assert.deepEqual([RestartPolicy.Condition, Placement.Constraints], ['none', ['node.id==n2']])
  assert.deepEqual(
    [ContainerSpec.Command.slice(3), ContainerSpec.CapabilityDrop, ContainerSpec.CapabilityAdd],
    [['errand1', 'du', '-sk', '/x'], ['ALL'], ['CAP_DAC_READ_SEARCH']],
  )
  assert.deepEqual(ContainerSpec.Mounts, [
    { Type: 'bind', Source: '/a/{{"{{"}}b', Target: '/run/berth', ReadOnly: true },
  ])
})

test('gives each request its own options, method and path', () => {
  const argv = curlOf([
    { method: 'GET', path: '/info' },
    { method: 'DELETE', path: '/volumes/a%20b' },
  ])
  assert.equal(argv[0], 'curl')
  const [first, second, ...rest] = argv.join(' ').split(' --next ')
  assert.deepEqual(rest, [])
  assert.match(first!, /--unix-socket \/run\/berth --request GET .* http:\/\/engine\/info$/)
  assert.match(second!, /--unix-socket \/run\/berth --request DELETE .* http:\/\/engine\/volumes\/a%20b$/)
})

const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((it) => Buffer.from(it as string)))

const cases: [title: string, output: Buffer, answers: [status: number, body: Buffer][]][] = [
  ['nothing', bytes(''), []],
  ['one with a body', bytes('{"a":200}\n200 9\n'), [[200, bytes('{"a":200}')]]],
  ['one without', bytes('\n204 0\n'), [[204, bytes('')]]],
  [
    'two',
    bytes('{}\n200 2\n', '{"message":"no"}\n404 16\n'),
    [
      [200, bytes('{}')],
      [404, bytes('{"message":"no"}')],
    ],
  ],
  [
    'any bytes, and among them what looks like a status',
    bytes('{}\n200 2\n', [0, 255], '\n404 2\n\n200 9\n'),
    [
      [200, bytes('{}')],
      [200, bytes([0, 255], '\n404 2\n')],
    ],
  ],
  ['one that broke off', bytes('{}\n200 2\n{"mess'), []],
  ['one that is longer than what came', bytes('{}\n200 20\n'), []],
]
for (const [title, output, answers] of cases) {
  test(`answers: ${title}`, () =>
    assert.deepEqual(
      answersIn(output),
      answers.map(([status, body]) => ({ status, body })),
    ))
}

/** The lines that the container of a remote command prints. */
function printedBy(...argv: string[]) {
  const remoteCommand = { nodeId: 'n2', image: 'nginx:1', argv, source: '/x', isReadOnly: true, capabilities: [] }
  const [program, ...rest] = remoteCommandBody('errand1', remoteCommand, place).TaskTemplate.ContainerSpec.Command
  const { status, stdout, stderr } = spawnSync(program!, rest, { encoding: 'utf8' })
  assert.equal(status, 0)
  return { stdout: stdout.split('\n'), stderr: stderr.split('\n') }
}

const words = '$(id) `id` "; id #'
const numbers = Array.from({ length: 1000 }, (_, at) => `${at + 1}\n`).join('')

const outputs: [title: string, argv: string[], exitCode: number, bytes: Buffer, stderr: RegExp][] = [
  ['nothing', ['true'], 0, bytes(''), /^$/],
  ['bytes that are no text', ['printf', 'a\\000\\377\\nb'], 0, bytes('a', [0, 255], '\nb'), /^$/],
  ['more than one line of base64', ['seq', '1000'], 0, bytes(numbers), /^$/],
  [
    'a failure with its words',
    ['sh', '-c', 'echo part; echo "no such thing" >&2; exit 7'],
    7,
    bytes('part\n'),
    /^no such/,
  ],
  ['a program that is not there', ['no-such-program'], 127, bytes(''), /no-such-program/],
  ['words that a shell would take for its own', ['printf', '%s', words], 0, bytes(words), /^$/],
]
for (const [title, argv, exitCode, expected, errors] of outputs) {
  test(`output: ${title}`, () => {
    const { stdout, stderr } = printedBy(...argv)
    assert.deepEqual(
      [stdout.slice(-2), stderr.slice(-2)],
      [
        ['errand1', ''],
        ['errand1', ''],
      ],
    )
    assert.deepEqual(outputIn(stdout.slice(0, -2)), { exitCode, bytes: expected })
    assert.match(stderr.slice(0, -2).join('\n'), errors)
  })
}

test('rejects output that is cut or missing', () => {
  const { stdout } = printedBy('seq', '1000')
  for (const lines of [[], stdout.slice(0, -3), stdout.slice(1, -2)]) assert.equal(outputIn(lines), null)
})
