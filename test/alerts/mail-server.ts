/** A real mail server that receives the messages of channels. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export const login = { username: 'berth', secret: 'mail-password' }

/** Closed at the end of the scope. @param address where it listens */
export async function startMailServer(options: SMTPServerOptions, address = '127.0.0.1') {
  const mails: string[] = []
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, callback) =>
      password === login.secret ? callback(null, { user: username }) : callback(new Error('wrong')),
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address: each }) => each).join(',')
        mails.push(
          `user=${String(session.user)} secure=${session.secure} to=${to}\n${Buffer.concat(chunks).toString()}`,
        )
        callback(null, 'queued as 42')
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  server.listen(0, address)
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    mails,
    url: `${options.secure ? 'smtps' : 'smtp'}://${address}:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
