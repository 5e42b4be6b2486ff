/** Tests of everyday commands against a Berth with the in-memory engine. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { eventKinds } from '../../cli/commands/events.ts'
import { nextCommands } from '../../cli/commands/status-hints.ts'
import { toJson } from '../../src/lib/json.ts'
import { startCommandLine } from './cli-fixture.ts'

const operationsPath = join(import.meta.dirname, '../../client/operations.ts')
const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())

test('creates a database, deploys it and shows how to connect', async () => {
  const output = await cli.ok('create', 'postgres', 'orders', '--project', 'shop', '--port', '15432')
  assert.match(output, /^shop\/orders is up\.\nConnect with: berth env shop\/orders\n$/)
  assert.match(await cli.ok('ls'), /^shop\/orders\s+postgres\s+up\s+postgres:\d+\s+\S+\s+15432\n$/)
  assert.match(await cli.ok('env', 'orders', '--url'), /^postgresql:\/\/orders:[\w-]{24}@.*:15432\/orders\n$/)
  assert.match(await cli.ok('env', 'orders', '--inside'), /^DATABASE_URL='postgresql:.*@shop-orders:5432\/orders'\n$/)
})

test('finds a database by the beginning of its name', async () => {
  assert.match(await cli.ok('show', 'shop/ord'), /^status\s+up$/m)
})

test('stops, starts and reloads a database', async () => {
  assert.match(await cli.ok('stop', 'orders'), /^shop\/orders is stopped\.$/m)
  assert.match(await cli.ok('ls'), /stopped/)
  assert.match(await cli.ok('start', 'orders'), /is up\.$/m)
  assert.match(await cli.ok('reload', 'orders'), /is up again\.$/m)
})

test("makes Berth's own account again, after a confirmation", async () => {
  const { status, stderr } = await cli.command(['regain-account', 'orders'])
  assert.equal(status, 2)
  assert.match(stderr, /This restarts shop\/orders twice/)
  assert.match(await cli.ok('regain-account', 'orders', '--yes'), /is up again, and Berth has its own account\.$/m)
})

test('changes the limits and the port of a database', async () => {
  assert.match(await cli.ok('set', 'orders', '--memory', '512', '--no-deploy'), /Deploy the change: berth deploy/)
  assert.match(await cli.ok('show', 'orders'), /^changes\s+not deployed yet/m)
  assert.match(await cli.ok('set', 'orders', '--memory', '1024', '--port', '15433'), /is up again\.$/m)
  assert.match(await cli.ok('show', 'orders'), /^port\s+15433\n(.*\n)*memory\s+at most 1024 MiB$/m)
  assert.match(await cli.ok('set', 'orders', '--memory', 'none', '--port', 'none'), /is up again/)
  assert.doesNotMatch(await cli.ok('show', 'orders'), /^port|^memory/m)
})

test('lists the work on databases, newest first, with its end', async () => {
  await cli.ok('create', 'redis', 'sessions', '--project', 'shop')
  const all = await cli.ok('history')
  assert.match(all, /^\d+ s ago\tshop\/sessions\tdeploy\tdone\t\d+ s\t\n/)
  assert.match(all, /shop\/orders\tdeploy/)
  assert.doesNotMatch(await cli.ok('history', 'sessions'), /orders/)
  assert.equal((await cli.ok('history', '--limit', '2')).split('\n').length, 3)
  await cli.ok('rm', 'sessions', '-y')
  assert.match(await cli.ok('history', '--limit', '1'), /\tdatabase shop-sessions\tremove\tdone\t/)
  const none = await cli.command(['history', '--state', 'error'])
  assert.deepEqual([none.status, none.stdout], [0, ''])
})

test('replaces the passwords of a database by random ones', async () => {
  const password = async () => new URL((await cli.ok('env', 'orders', '--url')).trim()).password
  const before = await password()
  cli.engine.answer = (_, { env = {} }) => {
    const isRefused = Object.values(env).includes(before)
    return { exitCode: isRefused ? 2 : 0, stdout: '', stderr: isRefused ? 'password authentication failed' : '' }
  }
  assert.match(await cli.ok('rotate', 'orders'), /^shop\/orders has new passwords/m)
  assert.notEqual(await password(), before)
})

test('moves a database only to a node that exists', async () => {
  const wrong = await cli.command(['move', 'orders', '--node', 'memori'])
  assert.deepEqual([wrong.status, /Did you mean memory\?/.test(wrong.stderr)], [3, true])
  const same = await cli.command(['move', 'orders', '--node', 'memory'])
  assert.deepEqual([same.status, /is on memory already/.test(same.stderr)], [1, true])
})

test('removes a database only when the person confirms it', async () => {
  await cli.ok('create', 'redis', 'cache', '--project', 'shop', '--no-deploy')
  const refused = await cli.command(['rm', 'cache'])
  assert.deepEqual([refused.status, /Confirm it with --yes/.test(refused.stderr)], [2, true])
  assert.match(await cli.ok('rm', 'cache', '--yes'), /^Removed shop\/cache\.$/m)
})

test('lists, restores and deletes the volumes of removed databases', async () => {
  for (const name of ['one', 'two']) await cli.ok('create', 'postgres', name, '--project', 'attic')
  await cli.ok('rm', 'attic/one', '-y')
  await cli.ok('rm', 'attic/two', '-y')
  assert.match(await cli.ok('volume', 'ls', '--kept'), /^attic-one\s+postgres 15\s+kept/m)
  await cli.ok('create', 'redis', 'other', '--project', 'attic', '--app-name', 'attic-one', '--no-deploy')
  const renamed = await cli.command(['volume', 'restore', 'attic-one', '--project', 'attic', '--name', 'uno'])
  assert.equal(renamed.stdout, 'Created attic/uno with the host name uno. Start it: berth deploy attic/uno\n')
  assert.match(renamed.stderr, /^Another database is called attic-one now\./)
  await cli.ok('rm', 'uno', '-y')
  const restored = await cli.ok('volume', 'restore', 'uno', '--project', 'attic', '--name', 'one')
  assert.match(restored, /^Created attic\/one with the host name uno\. Start it/)
  assert.match(await cli.ok('volume', 'rm', 'attic-two', '-y'), /^Deleted the data of attic-two\.$/m)
  const used = await cli.command(['volume', 'rm', 'shop-orders', '-y'])
  assert.deepEqual([used.status, /There is no kept volume/.test(used.stderr)], [3, true])
})

test('creates, renames and removes projects', async () => {
  await cli.ok('project', 'create', 'blog', '--description', 'texts')
  await cli.ok('project', 'rename', 'blog', 'news')
  assert.match(await cli.ok('project', 'ls'), /^news\s+-\s.*texts$/m)
  const refused = await cli.command(['project', 'rm', 'shop', '-y'])
  assert.deepEqual([refused.status, /--with-databases/.test(refused.stderr)], [1, true])
  assert.match(await cli.ok('project', 'rm', 'news', '-y'), /^Removed the project news\.$/m)
})

test('removes a project with its databases, and ends when they are gone', async () => {
  await cli.ok('create', 'redis', 'one', '--project', 'old')
  const output = await cli.ok('project', 'rm', 'old', '--with-databases', '-y')
  assert.match(output, /^Removed the project old\. The volumes of its databases are kept: berth volume ls --kept\.$/m)
  assert.match(await cli.ok('history', '--limit', '1'), /\tdatabase old-one\tremove\tdone\t/)
})

test('lists the ids of projects with the same name', async () => {
  for (const _ of [1, 2]) await cli.ok('project', 'create', 'twin')
  const list = await cli.ok('project', 'ls')
  const ids = [...list.matchAll(/^twin \((\S+)\)\t/gm)].map(([, id]) => id!)
  assert.equal(ids.length, 2)
  const refused = await cli.command(['project', 'rm', 'twin', '-y'])
  assert.ok(ids.every((id) => refused.stderr.includes(id)))
  for (const id of ids) await cli.ok('project', 'rm', id, '-y')
})

const names = <Name extends string>(id: string, name: Name) => ({
  id,
  name,
  subjectId: id,
  subjectName: id === '1' ? 'one' : 'two',
})

test('shows what needs attention, and fails with --fail', async () => {
  const fine = await cli.command(['status', '--project', 'shop'])
  assert.deepEqual([fine.status, fine.stdout, /^Everything is fine/.test(fine.stderr)], [0, '', true])
  const common = { subjectKind: 'database', projectId: null, adminOnly: 0, since: '2026-01-31T12:00:00.000Z' } as const
  await cli.berth.app.transact((tx) =>
    tx
      .insertInto('condition')
      .values([
        {
          ...common,
          ...names('1', 'DatabaseDrifted'),
          severity: 'warning',
          reason: toJson({ reason: 'Drifted', drift: [] }),
          endedAt: null,
        },
        {
          ...common,
          ...names('2', 'DatabaseDown'),
          severity: 'critical',
          reason: toJson({ reason: 'DatabaseDown', cause: null }),
          endedAt: null,
        },
      ])
      .execute(),
  )
  const { status, stdout, stderr } = await cli.command(['status', '--fail'])
  assert.match(stdout, /^critical\s+database two\s.*\tberth logs two\nwarning.*\tberth deploy one\n$/)
  assert.deepEqual([status, stderr], [1, 'error: 2 things need attention, 1 of them critical.\n'])
})

test('names a database as commands take it, and shows the first line of a reason', async () => {
  await cli.ok('create', 'redis', 'broken', '--project', 'shop', '--no-deploy')
  const reason = toJson({ reason: 'StorageFailed', fault: 'refused', detail: 'refused\nby the storage', at: '' })
  await cli.berth.app.transact((tx) =>
    tx
      .updateTable('condition')
      .set({ subjectName: 'shop-broken', reason: reason as never })
      .where('id', '=', '2')
      .execute(),
  )
  const row = /^critical\tdatabase shop\/broken\tDatabaseDown\t.*\trefused\tberth logs shop\/broken$/m
  assert.match(await cli.ok('status'), row)
  assert.match(await cli.ok('status', '--json'), /refused\\nby the storage/)
})

test('each condition has a command to type', () => {
  const [, declared] = /name: ("DatabaseDown".*)$/m.exec(readFileSync(operationsPath, 'utf8'))!
  assert.deepEqual(Object.keys(nextCommands), JSON.parse(`[${declared!.replaceAll(' | ', ', ')}]`))
})

test('berth events takes each kind of event', () => {
  const [, declared] = /^export type EventKind = (.*)$/m.exec(readFileSync(operationsPath, 'utf8'))!
  assert.deepEqual(eventKinds, JSON.parse(`[${declared!.replaceAll(' | ', ', ')}]`))
})

test('prints JSON with --json', async () => {
  const [database] = JSON.parse(await cli.ok('ls', '--json')) as { name: string }[]
  assert.equal(database?.name, 'orders')
  const answer = JSON.parse(await cli.ok('deploy', 'orders', '--json')) as { applicationStatus: string }
  assert.equal(answer.applicationStatus, 'done')
})
