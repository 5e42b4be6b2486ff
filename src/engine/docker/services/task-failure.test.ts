import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskFailureOf } from './task-failure.ts'
import type { TaskFailureReason } from '../../failures.ts'

const cases: [detail: string, reason: TaskFailureReason][] = [
  ['No such image: nope:1', 'ImageMissing'],
  ['manifest unknown: manifest unknown', 'ImageMissing'],
  ['pull access denied for nope, repository does not exist or may require docker login', 'ImageMissing'],
  ['invalid reference format', 'ImageInvalid'],
  ['no suitable node (unsupported platform on 1 node)', 'WrongArchitecture'],
  ['no suitable node (host-mode port already in use on 1 node)', 'PortTaken'],
  ['listen tcp4 0.0.0.0:5432: bind: address already in use', 'PortTaken'],
  ['Bind for 0.0.0.0:5432 failed: port is already allocated', 'PortTaken'],
  ['no suitable node (insufficient resources on 1 node)', 'InsufficientResources'],
  ['no suitable node (scheduling constraints not satisfied on 1 node)', 'NodeUnavailable'],
  ['starting container failed: exec: "nope": executable file not found in $PATH: unknown', 'ProgramMissing'],
  ['OCI runtime create failed: exec: "/nope": stat /nope: no such file or directory: unknown', 'ProgramMissing'],
  ['OCI runtime create failed: exec: "/etc/passwd": permission denied: unknown', 'ProgramMissing'],
  ['task: non-zero exit (3)', 'Other'],
  ['stat /data: no such file or directory', 'Other'],
]
for (const [detail, reason] of cases) {
  test(`classifies "${detail}" as ${reason}`, () => assert.deepEqual(taskFailureOf(detail), { reason, detail }))
}

test('returns null for an empty text', () => assert.equal(taskFailureOf(''), null))
