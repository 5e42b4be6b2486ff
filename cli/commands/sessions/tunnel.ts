/** berth tunnel: a local port that leads to the server of a database, without a published port. */
import { createServer, type Socket } from 'node:net'
import type { CommandDeclaration } from '../../command.ts'
import {
  databaseArgument,
  findDatabase,
  isPlainUrlRefused,
  maskedPassword,
  passwordRefusal,
  pathOf,
  readDatabase,
  shellPathOf,
} from '../../databases.ts'
import { type Target, targetOf } from '../../connection/contexts.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'
import { CommandError } from '../../exit.ts'
import { connectSession } from '../../sessions/connection.ts'
import { written } from '../../sessions/terminal.ts'

const host = '127.0.0.1'

export const tunnelCommand: CommandDeclaration = {
  name: 'tunnel',
  description: 'forward a local port to a database, until Ctrl-C',
  arguments: [databaseArgument, ['[port]', 'the local port on 127.0.0.1 (a free one)']],
  notes: [
    'Each connection is a session of its own, in a container next to the database. Nothing is published. The command',
    'prints the address for clients on this machine, with the password.',
  ],
  examples: ['berth tunnel shop/orders', 'berth tunnel shop/orders 15432'],
  run: tunnel,
}

async function tunnel(
  session: Session,
  options: CommonOptions,
  name: string,
  portText: string | undefined,
): Promise<undefined> {
  const { output, interrupted } = session
  const wantedPort = portOf(portText)
  const client = session.open(options)
  const database = await findDatabase(client, name)
  const path = pathOf(database)
  const record = await readDatabase(client, database)
  if (record.applicationStatus === 'idle') {
    const word = shellPathOf(database)
    throw record.lastDeployedAt === null
      ? new CommandError('failed', `${path} was never deployed`, `Deploy it: berth deploy ${word}`)
      : new CommandError('failed', `${path} is stopped`, `Start it: berth start ${word}`)
  }
  if (record.databasePassword === maskedPassword) {
    throw await passwordRefusal(client, database, { subject: 'A tunnel', refused: 'open sessions' })
  }
  const target = targetOf(session.env, options.context)
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    forward(target, database.databaseId, socket).catch((error: Error) => {
      if (!socket.destroyed) output.remark(`A connection to ${path} failed: ${error.message}`)
      socket.destroy()
    })
  })
  const port = await listen(server, wantedPort)
  const { internalUrl, verifiedInternalUrl } = record.connection
  const url = isPlainUrlRefused(database, record) ? verifiedInternalUrl! : internalUrl
  output.line(url.replace(/@[^@/?]+/, `@${host}:${port}`))
  output.remark(`Port ${port} of ${host} leads to ${path}. Ctrl-C ends it.`)
  if (!interrupted.aborted) {
    await new Promise((resolve) => interrupted.addEventListener('abort', resolve, { once: true }))
  }
  server.close()
  for (const socket of sockets) socket.destroy()
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65535) return port
  throw new CommandError('usage', `'${text}' is no port: it is a number from 1 to 65535`)
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint = 'Choose another port, or leave it out to get a free one'
      const texts: Record<string, string> = {
        EADDRINUSE: `Port ${port} of ${host} is taken by another program`,
        EACCES: `You may not listen on port ${port}`,
      }
      reject(new CommandError('failed', texts[error.code ?? ''] ?? error.message, hint))
    })
    server.listen(port, host, () => resolve((server.address() as { port: number }).port))
  })
}

/** Passes the bytes of one connection in both directions. Each direction ends by itself. */
async function forward(target: Target, databaseId: string, socket: Socket): Promise<void> {
  const broken = new Promise<void>((resolve) => {
    socket.once('close', resolve)
    socket.once('error', () => resolve())
  })
  const errors: string[] = []
  const session = await connectSession(
    target,
    { databaseId, mode: 'tunnel' },
    { bytes: (bytes) => written(socket, bytes), errors: async (text) => void errors.push(text) },
  )
  const pass = async () => {
    for await (const piece of socket.iterator({ destroyOnReturn: false })) await session.send(piece as Buffer)
    session.endInput()
  }
  pass().catch(() => session.close())
  const exitCode = await Promise.race([session.ended, broken.then(() => null)]).finally(() => session.close())
  if (exitCode !== null && exitCode !== 0) throw new Error(errors.join('').trim() || `exit code ${exitCode}`)
  socket.end()
}
