import assert from 'node:assert/strict'
import { test } from 'node:test'
import { containerArguments, type StartFault } from './image-start.ts'
import { kindNamed } from './index.ts'

type Row = [entrypoint: string[], command: string[], own: string[], expected: string[] | StartFault]

/** For a kind whose server always gets arguments of Berth. */
const withLaunch: Row[] = [
  [['docker-entrypoint.sh'], ['redis-server'], [], []],
  [['docker-entrypoint.sh'], ['redis-server', '/a.conf'], [], ['redis-server', '/a.conf']],
  [['docker-entrypoint.sh'], ['redis-server', '/a.conf'], ['--save', '60'], ['--save', '60']],
  [['docker-entrypoint.sh'], [], ['--save', '60'], ['--save', '60']],
  [['/usr/bin/redis-server'], ['--save', '60'], [], ['--save', '60']],
  [['/usr/bin/redis-server'], ['/a.conf'], [], ['/a.conf']],
  [['/start.sh'], ['/run.sh'], [], 'command'],
  [['/start.sh'], ['/run.sh'], ['/run.sh', '--save', '60'], ['/run.sh', '--save', '60']],
  [['tini', '--', 'docker-entrypoint.sh'], ['valkey-server'], [], []],
  [[], ['redis-server'], [], ['redis-server']],
  [[], ['/usr/bin/valkey-server', '--save', '60'], [], ['/usr/bin/valkey-server', '--save', '60']],
  [[], ['/usr/bin/valkey-server', '--save', '60'], ['/a.conf'], ['/usr/bin/valkey-server', '/a.conf']],
  [[], ['/entrypoint.sh'], [], 'command'],
  [[], ['/entrypoint.sh'], ['--save', '60'], 'command'],
  [[], ['/entrypoint.sh'], ['redis-server', '--save', '60'], ['redis-server', '--save', '60']],
  [[], ['/bin/sh', '-c', 'exec redis-server'], [], 'command'],
  [[], [], [], 'command'],
  [['/sbin/tini', '-g', '--'], ['redis-server'], ['--save', '60'], ['redis-server', '--save', '60']],
  [['gosu', 'redis'], ['redis-server'], [], ['redis-server']],
  [['env', 'A=1', 'gosu', 'redis', 'redis-server'], [], [], []],
  [['dumb-init'], ['/entrypoint.sh'], [], 'command'],
  [['/bin/bash'], ['-c', 'redis-server'], [], 'command'],
  [['/bin/sh', '-c', 'exec redis-server'], [], [], 'entrypoint'],
  [['/bin/sh', '-c', 'exec redis-server'], [], ['redis-server', '--save', '60'], 'entrypoint'],
  [['tini', '--', 'bash', '-o', 'pipefail', '-ec', 'redis-server | cat'], [], [], 'entrypoint'],
  [['sh', '-c', 'exec redis-server "$@"', '--'], [], ['--save', '60'], ['--save', '60']],
  [['bash', '/start.sh'], ['redis-server'], ['--save', '60'], ['--save', '60']],
]

/** For a kind whose server gets only the arguments of the caller. */
const withoutLaunch: Row[] = [
  [['docker-entrypoint.sh'], ['postgres', '-c', 'a=1'], [], []],
  [['docker-entrypoint.sh'], ['postgres', '-c', 'a=1'], ['-c', 'b=1'], ['-c', 'b=1']],
  [[], ['/start.sh'], [], []],
  [['/bin/sh', '-c', 'exec postgres'], [], [], []],
  [[], ['/start.sh'], ['-c', 'b=1'], 'command'],
  [[], ['postgres'], ['-c', 'b=1'], ['postgres', '-c', 'b=1']],
  [['/bin/sh', '-c', 'exec postgres'], [], ['-c', 'b=1'], 'entrypoint'],
]

for (const [name, rows] of [
  ['redis', withLaunch],
  ['postgres', withoutLaunch],
] as const) {
  for (const [entrypoint, command, own, expected] of rows) {
    test(`${name}: entry point ${JSON.stringify(entrypoint)}, command ${JSON.stringify(command)}, own ${own.join(' ')}`, () => {
      assert.deepEqual(containerArguments(kindNamed(name), { entrypoint, command }, own), expected)
    })
  }
}

test('arguments for a temporary server follow those of the image or of the caller', () => {
  const postgres = kindNamed('postgres')
  const official = { entrypoint: ['docker-entrypoint.sh'], command: ['postgres', '-c', 'a=1'] }
  const added = ['-c', 'b=1']
  assert.deepEqual(containerArguments(postgres, official, [], added), ['postgres', '-c', 'a=1', '-c', 'b=1'])
  assert.deepEqual(containerArguments(postgres, official, ['-c', 'c=1'], added), ['-c', 'c=1', '-c', 'b=1'])
  assert.deepEqual(containerArguments(postgres, { ...official, command: ['postgres'] }, [], added), added)
  assert.equal(containerArguments(postgres, { entrypoint: [], command: ['/start.sh'] }, [], added), 'command')
})

test('a server without an entry point gets the arguments of Berth after those of the image', () => {
  const settings = { databasePassword: 'x' }
  const redis = kindNamed('redis').launch!(settings, ['/usr/bin/redis-server', '/a.conf'], null)
  assert.deepEqual(redis.args.slice(0, 4), ['/usr/bin/redis-server', '--include', '/a.conf', '--daemonize'])
  const mongo = kindNamed('mongo').launch!(settings, ['/usr/bin/mongod'], null)
  assert.deepEqual(mongo.args.slice(0, 2), ['/usr/bin/mongod', '--auth'])
})
