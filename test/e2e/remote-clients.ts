/**
 * Clients on other addresses than those of the machine: a network namespace with a link to the machine, whose packets the
 * kernel treats like those of another machine. The namespace has two IPv4 addresses.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { removeLeftovers, run } from './host.ts'

/** A TCP connection of a client. */
export interface RemoteConnection {
  /** Sends a line, and returns the first line of the answer; null if the connection is closed. */
  ask(line: string): Promise<string | null>
  /** Resolves when the other side has closed the connection. */
  closed: Promise<void>
}

export interface RemoteClients extends AsyncDisposable {
  /** The address of the machine on the link. */
  machine: string
  /** The two addresses of clients. */
  addresses: readonly [string, string]
  /** Opens a connection from an address of the namespace to a port of the machine. Rejects if the machine refuses it. */
  connect(from: string, port: number): Promise<RemoteConnection>
  /** The words that start a program in the namespace. */
  enter: string[]
}

/** Runs in the namespace: opens the connections that the test asks for, and passes what they receive. */
const program = `
  const { connect } = require('node:net')
  const sockets = new Map()
  process.on('message', ({ id, open, line }) => {
    const say = (message) => process.connected && process.send({ id, ...message })
    if (open === undefined) return void sockets.get(id)?.write(line + '\\r\\n')
    const socket = connect(open)
    sockets.set(id, socket)
    socket.setTimeout(5000, () => socket.connecting && socket.destroy(new Error('no answer within 5 s')))
    socket.on('connect', () => say({ is: 'open' })).on('error', (error) => say({ is: 'error', text: error.message }))
    socket.on('data', (data) => say({ is: 'data', text: data.toString() })).on('close', () => say({ is: 'closed' }))
  })
  process.on('disconnect', () => process.exit())
`

interface Message {
  id: number
  is: 'open' | 'error' | 'data' | 'closed'
  text?: string
}

/** @param subnet the third number of the addresses 198.18.n.0/24 (RFC 2544), another one for each test file */
export async function remoteClients(subnet: number): Promise<RemoteClients> {
  const [name, link] = [`berth-remote-${process.pid}`, `berth${subnet}-${process.pid}`.slice(0, 15)]
  const [machine, ...addresses] = [1, 2, 3].map((last) => `198.18.${subnet}.${last}`) as [string, string, string]
  const inside = ['-n', name]
  // A link that a killed test left behind would have the same addresses, and get the packets of this one.
  await removeLeftovers()
  await run('ip', ['netns', 'add', name])
  await run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name])
  await run('ip', ['address', 'add', `${machine}/24`, 'dev', link])
  await run('ip', ['link', 'set', link, 'up'])
  for (const address of addresses) await run('ip', [...inside, 'address', 'add', `${address}/24`, 'dev', 'eth0'])
  for (const device of ['lo', 'eth0']) await run('ip', [...inside, 'link', 'set', device, 'up'])
  const enter = ['nsenter', `--net=/var/run/netns/${name}`]
  const child = spawn(enter[0]!, [...enter.slice(1), process.execPath, '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return {
    machine,
    addresses,
    enter,
    connect: connector(child, machine),
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
      await run('ip', ['netns', 'del', name])
    },
  }
}

function connector(child: ChildProcess, host: string): RemoteClients['connect'] {
  let last = 0
  const receivers = new Map<number, (message: Message) => void>()
  child.on('message', (message: Message) => receivers.get(message.id)?.(message))
  return async (from, port) => {
    const id = ++last
    const [opened, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let answer = Promise.withResolvers<string | null>()
    receivers.set(id, ({ is, text = '' }) => {
      if (is === 'open') opened.resolve()
      if (is === 'error') opened.reject(new Error(text))
      if (is === 'data') answer.resolve(text.split('\r\n')[0]!)
      if (is !== 'closed') return
      closed.resolve()
      answer.resolve(null)
    })
    opened.promise.catch(() => undefined)
    child.send({ id, open: { host, port, localAddress: from } })
    await opened.promise
    return {
      closed: closed.promise,
      async ask(line) {
        answer = Promise.withResolvers()
        child.send({ id, line })
        return Promise.race([answer.promise, closed.promise.then(() => null)])
      },
    }
  }
}
