/** Tests of one kind: a changed password keeps the container and its connections, and appears nowhere. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Kind } from '../../src/kinds/kind.ts'
import { logOf } from './container.ts'
import type { Case } from './kind-suite.ts'
import { containersOf, docker, type Swarm } from './swarm.ts'

/** Random secrets of plain letters and digits, so that they can be searched for in any text. */
export const randomSecrets = (kind: Kind): Record<string, string> =>
  Object.fromEntries(kind.secrets.map((name) => [name, `new-${randomBytes(12).toString('hex')}`]))

/** Work that replaces the container, and what a test asserts of it. */
export interface Restart {
  title: string
  run(context: Case): Promise<unknown>
}

export const reload: Restart = {
  title: 'a reload replaces the container',
  run: ({ databaseClients, database }) => databaseClients.done('reload', database, { appName: database.appName }),
}

export function passwordTests(context: Case, kind: Kind, swarm: () => Swarm, restart: Restart): void {
  const secrets = randomSecrets(kind)
  let [before, container] = ['', '']

  test('changed passwords keep the container and open connections', async () => {
    const { databaseClients, database } = context
    before = await databaseClients.urlOf(database)
    container = (await containersOf(database.appName))[0]!
    const session = await databaseClients.client.connect(before)
    const connection = await session.connection()
    await databaseClients.call('update', database, secrets)
    const commandLines = await commandLinesDuring(databaseClients.done('deploy', database))
    assert.deepEqual(await containersOf(database.appName), [container])
    assert.equal(await session.connection(), connection)
    assert.deepEqual(await session.read(), ['first'])
    await session.close()
    assert.notEqual(await databaseClients.refusal(before), '', 'the old password is refused')
    assert.equal(await databaseClients.refusal(await databaseClients.urlOf(database)), '')
    assert.ok(commandLines.length > 0)
    assertAbsent(secrets, commandLines.join('\n'), 'the processes')
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

  test(`${restart.title}, with the new passwords and not with the old ones`, async () => {
    const { databaseClients, database } = context
    await restart.run(context)
    const [restarted] = await containersOf(database.appName)
    assert.notEqual(restarted, container)
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
    assert.notEqual(await databaseClients.refusal(before), '')
    assertAbsent(secrets, (await docker('inspect', restarted!)).join('\n'), 'the new container')
  })
}

/** How often the command line of a process is read. It changes when the process begins another program. */
const maxReadings = 10

/** The command lines that processes of this machine, so also those in containers, had during the work. */
async function commandLinesDuring(work: Promise<unknown>): Promise<string[]> {
  const lines = new Set<string>()
  const readings = new Map<string, number>()
  let isDone = false
  const watch = async () => {
    do {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        const count = readings.get(pid) ?? 0
        if (count < maxReadings) lines.add(commandLineOf(pid))
        readings.set(pid, count + 1)
      }
      await pause(20)
    } while (!isDone)
  }
  const watching = watch()
  await Promise.all([work.finally(() => (isDone = true)), watching])
  return [...lines]
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // The process has ended.
  }
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
