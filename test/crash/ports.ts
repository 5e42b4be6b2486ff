/** Published ports of an application: what is there leads to it, what was deleted leads nowhere. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { once } from 'node:events'
import type { Fields } from './client.ts'
import type { Group, Runtime } from './group.ts'
import type { Random } from './random.ts'
import { recordsOf } from './records.ts'
import type { Application } from './routing.ts'

interface Port extends Fields {
  publishedPort: number
}

/** As many gateways as a small machine carries beside the databases. */
const most = 3

export function portsOf(runtime: Runtime, { name: applicationId }: Application): Group {
  const { client } = runtime
  const records = recordsOf<Port>(client, 'port', async () =>
    (await client.read<Port[]>('port.all'))!.map((it) =>
      // It has no name of its own; where its id is not known yet, it has the port that it was made with.
      ({ id: it.portId as string, name: String(it.publishedPort), fields: { publishedPort: it.publishedPort } }),
    ),
  )
  const used = new Set<number>()
  return { name: 'ports', calls, compare: records.compare, compareWorld }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(['create', 'update', 'delete'] as const)
    const it = present.length === 0 ? null : random.pick(present)
    if (verb === 'delete' && it !== null) {
      await records.change(it, { operation: 'port.delete', input: { portId: it.id }, makes: () => null })
      return
    }
    const publishedPort = await runtime.port()
    const fields = { publishedPort, targetPort: applicationPort, protocol: 'tcp' }
    used.add(publishedPort)
    if (it === null || (verb === 'create' && present.length < most)) {
      await records.create<Port>(
        'port.create',
        { ...fields, applicationId },
        String(publishedPort),
        { publishedPort },
        ({ portId }) => portId as string,
      )
    } else {
      await records.change(it, {
        operation: 'port.update',
        input: { portId: it.id, ...fields },
        makes: () => ({ publishedPort }),
      })
    }
  }

  async function compareWorld(): Promise<void> {
    const open = records.present().map((it) => it.may[0]!.publishedPort)
    for (const port of used) assert.equal(await answers(port), open.includes(port), `port ${port}`)
    const waiting = (await client.read<Port[]>('port.all'))!.filter(({ applied }) => applied !== true)
    assert.deepEqual(waiting, [])
  }
}

/** As an application of the harness listens. */
export const applicationPort = 8080

/** A gateway that finds nobody behind it takes the connection and ends it. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.0\r\n\r\n')
    const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean]
    return data instanceof Buffer
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  } finally {
    socket.destroy()
  }
}
