/** The programs of sessions: clients of all kinds, tunnels and dumps. A dump that is not complete never ends well. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { insertRun } from '../../src/backups/run-queries.ts'
import { beginNodeRemoval } from '../../src/cluster/queries.ts'
import { kinds } from '../../src/kinds/index.ts'
import { completeMark } from '../../src/kinds/mysql/archive.ts'
import { until } from '../engine/until.ts'
import { type SessionBerth, startSessionBerth } from './session-berth.ts'

for (const kind of kinds) {
  test(`the client of ${kind.name} gets the arguments, and the password only in a file`, async () => {
    await using berth = await startSessionBerth({ kind: kind.name })
    const session = await berth.open({ argument: ['--version', '', 'a b; $(c) "d"'] })
    session.post({ type: 'endInput' })
    assert.equal(await session.closed, 1000)
    const { argv, env, files = [], nodeId } = berth.jobs[0]!
    assert.deepEqual(argv.slice(-3), ['--version', '', 'a b; $(c) "d"'])
    assert.ok(!JSON.stringify([argv, env]).includes('a databasePassword'))
    assert.ok(files.some(({ content, mode }) => content.includes('a databasePassword') && mode === 0o600))
    assert.ok(nodeId)
  })
}

test('a tunnel connects with the address of the container', async () => {
  await using berth = await startSessionBerth()
  const session = await berth.open({ mode: 'tunnel' })
  session.post({ type: 'endInput' })
  await session.closed
  const { argv, files, stdin } = berth.jobs[0]!
  assert.match(argv[4]!, /^10\.200\./)
  assert.deepEqual([argv[5], files, stdin], ['5432', [], true])
})

test('a dump answers the output of the tool, has no memory limit and no input', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(async (_job, { stdout }) => {
    stdout.write('PGDMP and so on')
    return 0
  })
  const session = await berth.open({ mode: 'dump' })
  assert.equal(await session.closed, 1000)
  assert.deepEqual([session.text(), session.messages.at(-1)], ['PGDMP and so on', { type: 'ended', exitCode: 0 }])
  const { memoryMib, stdin, env } = berth.jobs[0]!
  assert.deepEqual([memoryMib, stdin, env.PGDATABASE], [undefined, false, 'shop'])
  const other = await berth.open({ mode: 'dump', argument: ['other'] })
  await other.closed
  assert.equal(berth.jobs[1]!.env.PGDATABASE, 'other')
})

test('passes the failure of a dump on, with masked passwords', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(async (_job, { stdout, stderr }) => {
    stdout.write('PGDMP')
    stderr.write('no login with a databasePassword')
    return 1
  })
  const session = await berth.open({ mode: 'dump' })
  assert.equal(await session.closed, 1000)
  assert.deepEqual(session.messages.slice(-2), [
    { type: 'stderr', text: 'no login with ********' },
    { type: 'ended', exitCode: 1 },
  ])
})

test('masks a password that arrives in two pieces, and completes its characters', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(async (_job, { stderr }) => {
    for (const piece of [
      'Caf',
      Buffer.from([0xc3]),
      Buffer.from([0xa9]),
      ' with a databasePas',
      'sword',
      ' or a data',
    ]) {
      stderr.write(piece)
      await pause(20)
    }
    stderr.write(Buffer.from([0xe2, 0x82]))
    return 1
  })
  const session = await berth.open({ mode: 'dump' })
  assert.equal(await session.closed, 1000)
  assert.equal(session.errors(), 'Café with ******** or a data\ufffd')
})

test('shows a prompt on standard error that ends like the begin of a password', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(async (_job, { stdin, stderr }) => {
    stderr.write('is this a')
    for await (const _ of stdin!);
    return 0
  })
  const session = await berth.open()
  await until('the whole prompt', async () => session.errors() === 'is this a', 5000)
  session.post({ type: 'endInput' })
  assert.equal(await session.closed, 1000)
})

test('a dump that is cut, empty or of two states fails although the tool ended well', async () => {
  await using mysql = await startSessionBerth({ kind: 'mysql' })
  let text = 'CREATE TABLE a (b int);\n'
  mysql.setProgram(async (_job, { stdout }) => {
    stdout.write(text)
    return 0
  })
  const cut = await mysql.open({ mode: 'dump' })
  assert.equal(await cut.closed, 1011)
  assert.equal(cut.messages.at(-1)!.code, 'DumpBroken')
  text = `${completeMark}\n`
  const whole = await mysql.open({ mode: 'dump' })
  assert.equal(await whole.closed, 1000, JSON.stringify(whole.messages))
  mysql.setProgram(async (_job, { stdout }) => {
    stdout.write(text)
    await insertRestore(mysql)
    return 0
  })
  const restored = await mysql.open({ mode: 'dump' })
  assert.equal(await restored.closed, 1011)
  assert.equal(restored.messages.at(-1)!.code, 'DatabaseChanged')
})

test('refuses dumps of Redis, of an unnamed database of MongoDB, and during a restore', async () => {
  await using redis = await startSessionBerth({ kind: 'redis' })
  assert.match((await redis.refusedOpen({ mode: 'dump' })).body.message!, /Redis has no dumps/)
  await using mongo = await startSessionBerth({ kind: 'mongo' })
  assert.match((await mongo.refusedOpen({ mode: 'dump' })).body.message!, /name the database to dump/)
  await insertRestore(mongo)
  const refused = await mongo.refusedOpen({ mode: 'dump', argument: ['shop'] })
  assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT'])
})

test('refuses a session on a node that is about to be drained', async () => {
  await using berth = await startSessionBerth()
  const node = { id: 'node1', hostname: 'memory', state: 'ready', since: '' }
  await berth.app.transact((tx) =>
    beginNodeRemoval(tx, node, { deploymentId: 'drain', force: 0, availability: 'active' }),
  )
  const refused = await berth.refusedOpen({})
  assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT'])
})

/** Inserts a restore into the database that waits for its time. */
async function insertRestore({ app, databaseId }: SessionBerth): Promise<void> {
  const columns = { id: app.newId(), action: 'restore', trigger: 'manual', kind: 'mongo', databaseId } as const
  await app.transact(async (tx) => {
    await insertRun(tx, { ...columns, subjectKind: 'database', database: 'shop', destinationId: 'none' }, app.now())
    await tx.updateTable('backupRun').set({ dueAt: '2999-01-01T00:00:00.000Z', status: 'waiting' }).execute()
  })
}
