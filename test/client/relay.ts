/** Relays the connections between a client and a Berth, and breaks them. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** How much of an answer the client gets before its connection breaks. */
export type Cut = 'nothing' | 'half of the body'

export type Relay = Awaited<ReturnType<typeof openRelay>>

/** @param target the URL of Berth */
export async function openRelay(t: Pick<TestContext, 'after'>, target: string) {
  const sockets = new Set<Socket>()
  const cuts: Cut[] = []
  let connections = 0
  const server = createServer((client) => {
    connections++
    const berth = connect(Number(new URL(target).port), '127.0.0.1')
    for (const socket of [client, berth]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        berth.destroy()
      })
    }
    client.pipe(berth)
    berth.on('data', (answer: Buffer) => {
      const cut = cuts.shift()
      if (cut === undefined) client.write(answer)
      else client.write(answer.subarray(0, lengthOf(cut, answer)), () => client.destroy())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    breakAll()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The number of connections since the start. */
    connections: () => connections,
    /** Breaks the connections of the next answers. Berth has carried out the requests then. */
    cutNext: (...next: Cut[]) => void cuts.push(...next),
    breakAll,
  }

  function breakAll() {
    for (const socket of sockets) socket.destroy()
  }
}

function lengthOf(cut: Cut, answer: Buffer): number {
  if (cut === 'nothing') return 0
  const head = answer.indexOf('\r\n\r\n') + 4
  return head + Math.floor((answer.length - head) / 2)
}
