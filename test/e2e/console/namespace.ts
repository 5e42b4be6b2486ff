/**
 * A network namespace for the browser, which ends all requests when the addresses of its machine change, as they do
 * when a container starts. In the namespace there is nothing but loopback, so the browser reaches only what is forwarded.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Server, type Socket } from 'node:net'
import { run } from '../host.ts'

export interface Namespace extends AsyncDisposable {
  /** The words that start a program in the namespace. */
  enter: string[]
  /** Forwards a port of the namespace's loopback to the same port of the machine. */
  forward(port: number): Promise<void>
}

/** Listens in the namespace and passes the socket to this process, which accepts its connections. */
const listener = `
  const server = require('node:net').createServer()
  server.listen(Number(process.argv[1]), '127.0.0.1', () => process.send('listening', server, () => process.exit()))
`

export async function createNamespace(): Promise<Namespace> {
  const name = `berth-browser-${process.pid}`
  await run('ip', ['netns', 'add', name])
  await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  const enter = ['nsenter', `--net=/var/run/netns/${name}`]
  const servers = new Map<number, Server>()
  const sockets = new Set<Socket>()
  return {
    enter,
    async forward(port) {
      if (servers.has(port)) return
      const server = await listenIn(enter, port)
      servers.set(port, server)
      server.on('connection', (socket) => pipe(socket, connect(port, '127.0.0.1'), sockets))
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers.values()) server.close()
      for (const socket of sockets) socket.destroy()
      await run('ip', ['netns', 'del', name])
    },
  }
}

async function listenIn([program = '', ...argv]: string[], port: number): Promise<Server> {
  const child: ChildProcess = spawn(program, [...argv, process.execPath, '-e', listener, String(port)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  // The channel closes after the message, or without one if the process could not listen.
  const closed = once(child, 'disconnect').then(() => {
    throw new Error(`Nothing listens on port ${port} in the namespace: the process ended (see above)`)
  })
  const [, server] = (await Promise.race([once(child, 'message'), closed])) as [string, Server]
  return server
}

/** A side that ends or fails ends the other. */
function pipe(one: Socket, other: Socket, sockets: Set<Socket>) {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    sockets.add(from)
    from.pipe(to)
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
}
