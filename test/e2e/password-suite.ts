/** Tests of one kind: a changed password keeps the container and its connections, and appears nowhere. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Kind } from '../../src/kinds/kind.ts'
import { logOf } from './container.ts'
import type { Case } from './kind-suite.ts'
import { containersOf, docker, type Swarm } from './swarm.ts'

/** Random secrets of plain letters and digits, so that they can be searched for in any text. */
export const randomSecrets = (kind: Kind): Record<string, string> =>
  Object.fromEntries(kind.secrets.map((name) => [name, `new-${randomBytes(12).toString('hex')}`]))

export function passwordTests(context: Case, kind: Kind, swarm: () => Swarm): void {
  const secrets = randomSecrets(kind)
  let [before, container] = ['', '']

  test('changed passwords keep the container and open connections', async () => {
    const { databaseClients, database } = context
    before = await databaseClients.urlOf(database)
    container = (await containersOf(database.appName))[0]!
    const session = await databaseClients.client.connect(before)
    const connection = await session.connection()
    await databaseClients.call('update', database, secrets)
    const processes = await processesDuring(container, databaseClients.done('deploy', database))
    assert.deepEqual(await containersOf(database.appName), [container])
    assert.equal(await session.connection(), connection)
    assert.deepEqual(await session.read(), ['first'])
    await session.close()
    assert.notEqual(await databaseClients.refusal(before), '', 'the old password is refused')
    assert.equal(await databaseClients.refusal(await databaseClients.urlOf(database)), '')
    assert.ok(processes.length > 0)
    assertAbsent(secrets, processes.join('\n'), 'the processes')
  })

  test('the new passwords are in no service, container, configuration and log', async () => {
    const { appName } = context.database
    const { databaseClients, database } = context
    for (const [title, text] of [
      ['the service', await docker('service', 'inspect', appName)],
      ['the container', await docker('inspect', container)],
      ['the log of the server', [await logOf(container)]],
      ['the log of Berth', [JSON.stringify(swarm().logged)]],
      ['the configurations', await configurationsOf(appName)],
      ['the answer of logs', [JSON.stringify((await databaseClients.call('logs', database, { tail: 500 })).body)]],
    ] as const) {
      assert.notEqual(text.join(''), '', title)
      assertAbsent(secrets, text.join('\n'), title)
    }
  })

  test('the new passwords stay after a restart, and the old ones are refused', async () => {
    const { databaseClients, database } = context
    await databaseClients.done('reload', database, { appName: database.appName })
    const [restarted] = await containersOf(database.appName)
    assert.notEqual(restarted, container)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
    assert.notEqual(await databaseClients.refusal(before), '')
    assertAbsent(secrets, (await docker('inspect', restarted!)).join('\n'), 'the new container')
  })
}

/** The processes that were in the container at some time during the work. */
async function processesDuring(container: string, work: Promise<unknown>): Promise<string[]> {
  const processes = new Set<string>()
  let isDone = false
  const watch = async () => {
    do for (const line of await docker('top', container, '-eo', 'pid,args')) processes.add(line)
    while (!isDone)
  }
  const watching = watch()
  await Promise.all([work.finally(() => (isDone = true)), watching])
  return [...processes]
}

function assertAbsent(secrets: Record<string, string>, text: string, title: string): void {
  for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret), title)
}

/** The contents of the files of the service. */
async function configurationsOf(appName: string): Promise<string[]> {
  const format = '{{range .Spec.TaskTemplate.ContainerSpec.Configs}}{{.ConfigID}} {{end}}'
  const [ids = ''] = await docker('service', 'inspect', '--format', format, appName)
  const contents = ids
    .split(' ')
    .filter((id) => id !== '')
    .map(async (id) => (await docker('config', 'inspect', '--format', '{{json .Spec.Data}}', id)).join(''))
  const decoded = (await Promise.all(contents)).map((text) =>
    Buffer.from(JSON.parse(text) as string, 'base64').toString(),
  )
  return ['files:', ...decoded]
}
