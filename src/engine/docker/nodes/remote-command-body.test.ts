/** The request bodies of remote commands, and the parsing of their output. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { parseAnswers, curlArgv, remoteCommandBody, parseOutput } from './remote-command-body.ts'
import { installationLabel } from '../../labels.ts'

const scope = { installationId: 'mine', networkName: 'berth' }

test('runs a remote command one time on its node, with one mount and only the listed capabilities', () => {
  const remoteCommand = {
    nodeId: 'n2',
    image: 'nginx:1',
    argv: ['du', '-sk', '/x'],
    source: '/a/{{b',
    isReadOnly: true,
    capabilities: ['DAC_READ_SEARCH'],
  }
  const { Name, Labels, TaskTemplate, Mode } = remoteCommandBody('command1', remoteCommand, scope)
  const { ContainerSpec, RestartPolicy, Placement } = TaskTemplate
  assert.deepEqual([Name, Labels[installationLabel], Mode], ['command1', 'mine', { Replicated: { Replicas: 1 } }])
  assert.deepEqual([RestartPolicy.Condition, Placement.Constraints], ['none', ['node.id==n2']])
  assert.deepEqual(
    [ContainerSpec.Command.slice(3), ContainerSpec.CapabilityDrop, ContainerSpec.CapabilityAdd],
    [['command1', 'du', '-sk', '/x'], ['ALL'], ['CAP_DAC_READ_SEARCH']],
  )
  assert.deepEqual(ContainerSpec.Mounts, [
    { Type: 'bind', Source: '/a/{{"{{"}}b', Target: '/run/berth', ReadOnly: true },
  ])
})

test('gives each request its own options, method and path', () => {
  const argv = curlArgv([
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

const answerCases: [title: string, output: Buffer, answers: [status: number, body: Buffer][]][] = [
  ['no answers from empty output', bytes(''), []],
  ['one answer with a body', bytes('{"a":200}\n200 9\n'), [[200, bytes('{"a":200}')]]],
  ['one answer without a body', bytes('\n204 0\n'), [[204, bytes('')]]],
  [
    'two answers',
    bytes('{}\n200 2\n', '{"message":"no"}\n404 16\n'),
    [
      [200, bytes('{}')],
      [404, bytes('{"message":"no"}')],
    ],
  ],
  [
    'a body of any bytes, including text that looks like a status line',
    bytes('{}\n200 2\n', [0, 255], '\n404 2\n\n200 9\n'),
    [
      [200, bytes('{}')],
      [200, bytes([0, 255], '\n404 2\n')],
    ],
  ],
  ['no answers from output that ends within an answer', bytes('{}\n200 2\n{"mess'), []],
  ['no answers from output that is shorter than the stated size', bytes('{}\n200 20\n'), []],
]
for (const [title, output, answers] of answerCases) {
  test(`parses ${title}`, () =>
    assert.deepEqual(
      parseAnswers(output),
      answers.map(([status, body]) => ({ status, body })),
    ))
}

/** The lines that the container of a remote command prints. */
function linesPrintedBy(...argv: string[]) {
  const remoteCommand = { nodeId: 'n2', image: 'nginx:1', argv, source: '/x', isReadOnly: true, capabilities: [] }
  const [program, ...rest] = remoteCommandBody('command1', remoteCommand, scope).TaskTemplate.ContainerSpec.Command
  const { status, stdout, stderr } = spawnSync(program!, rest, { encoding: 'utf8' })
  assert.equal(status, 0)
  return { stdout: stdout.split('\n'), stderr: stderr.split('\n') }
}

const shellSyntax = '$(id) `id` "; id #'
const numbers = Array.from({ length: 1000 }, (_, at) => `${at + 1}\n`).join('')

const outputCases: [title: string, argv: string[], exitCode: number, bytes: Buffer, stderrPattern: RegExp][] = [
  ['a program without output', ['true'], 0, bytes(''), /^$/],
  ['a program that prints binary data', ['printf', 'a\\000\\377\\nb'], 0, bytes('a', [0, 255], '\nb'), /^$/],
  ['a program that prints more than one line of base64', ['seq', '1000'], 0, bytes(numbers), /^$/],
  [
    'a program that fails with an error message',
    ['sh', '-c', 'echo part; echo "no such thing" >&2; exit 7'],
    7,
    bytes('part\n'),
    /^no such/,
  ],
  ['a missing program', ['no-such-program'], 127, bytes(''), /no-such-program/],
  ['a program with arguments that contain shell syntax', ['printf', '%s', shellSyntax], 0, bytes(shellSyntax), /^$/],
]
for (const [title, argv, exitCode, expected, stderrPattern] of outputCases) {
  test(`prints the output, errors and exit code of ${title}`, () => {
    const { stdout, stderr } = linesPrintedBy(...argv)
    assert.deepEqual(
      [stdout.slice(-2), stderr.slice(-2)],
      [
        ['command1', ''],
        ['command1', ''],
      ],
    )
    assert.deepEqual(parseOutput(stdout.slice(0, -2)), { exitCode, bytes: expected })
    assert.match(stderr.slice(0, -2).join('\n'), stderrPattern)
  })
}

test('returns null for output that is cut or missing', () => {
  const { stdout } = linesPrintedBy('seq', '1000')
  for (const lines of [[], stdout.slice(0, -3), stdout.slice(1, -2)]) assert.equal(parseOutput(lines), null)
})
