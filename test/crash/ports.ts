/**
 * Published ports of an application: an existing port leads to the application, a deleted port is closed. A port whose
 * list of allowed sources lacks this machine refuses it.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { once } from 'node:events'
import type { Fields } from './client.ts'
import type { Group, Runtime } from './group.ts'
import type { Random } from './random.ts'
import { type Known, recordsOf } from './records.ts'
import type { Application } from './routing.ts'

interface Port extends Fields {
  publishedPort: number
  allowedSources: string[]
}

/** The list of a port that refuses this machine: a network for documents, RFC 5737. */
const others = ['192.0.2.0/24']

/** A small machine can run this many gateways beside the databases. */
const maxPorts = 3

export function portsOf(runtime: Runtime, { name: applicationId }: Application): Group {
  const { client } = runtime
  const records = recordsOf<Port>(client, 'port', async () =>
    (await client.read<Port[]>('port.all'))!.map(({ portId, publishedPort, allowedSources }) =>
      // Ports have no names. A port whose id is not known yet has the port number of its creation.
      ({ id: portId as string, name: String(publishedPort), fields: { publishedPort, allowedSources } }),
    ),
  )
  const used = new Set<number>()
  return { name: 'ports', calls, compare: records.compare, compareExternal }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(['create', 'update', 'sources', 'delete'] as const)
    const record = present.length === 0 ? null : random.pick(present)
    if (verb === 'delete' && record !== null) {
      await records.change(record, { operation: 'port.delete', input: { portId: record.id }, apply: () => null })
      return
    }
    if (verb === 'sources' && record !== null) {
      const { publishedPort } = record.possible[0]!
      return update(record, { publishedPort, allowedSources: random.chance(50) ? others : [] })
    }
    const publishedPort = await runtime.port()
    used.add(publishedPort)
    if (record === null || (verb === 'create' && present.length < maxPorts)) {
      await records.create<Port>(
        'port.create',
        { publishedPort, ...target, applicationId },
        String(publishedPort),
        { publishedPort, allowedSources: [] },
        ({ portId }) => portId as string,
      )
    } else await update(record, { publishedPort })
  }

  async function update(record: Known<Port> & { id: string }, fields: Partial<Port>): Promise<void> {
    await records.change(record, {
      operation: 'port.update',
      input: { portId: record.id, ...fields, ...target },
      apply: (state) => ({ ...state, ...fields }),
    })
  }

  async function compareExternal(): Promise<void> {
    const isOpen = ({ allowedSources }: Port) => allowedSources.length === 0
    const ports = records.present().map((record) => record.possible[0]!)
    const open = ports.filter(isOpen).map(({ publishedPort }) => publishedPort)
    for (const port of used) assert.equal(await answers(port), open.includes(port), `port ${port}`)
    const waiting = (await client.read<Port[]>('port.all'))!.filter(({ applied }) => applied !== true)
    assert.deepEqual(waiting, [])
  }
}

/** The port on which the applications of the harness listen. */
export const applicationPort = 8080

const target = { targetPort: applicationPort, protocol: 'tcp' }

/** Whether the application responds. A gateway without a backend accepts the connection and closes it. */
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
