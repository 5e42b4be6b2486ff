/** Plain sockets, for requests that no HTTP client would send. */
import { connect, type Socket } from 'node:net'

/** Sends the text. Returns all received text when the server closes the connection. */
export async function exchange(url: string, text: string | Buffer): Promise<string> {
  const socket = await open(url)
  socket.write(text)
  return received(socket)
}

export function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** All received text, when the server closes the connection. */
export async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve()).on('error', () => undefined)
  })
  return Buffer.concat(chunks).toString()
}

/** Waits until the received text matches the pattern. The socket stays open. */
export function until(socket: Socket, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      text += chunk.toString()
      if (!pattern.test(text)) return
      socket.off('data', onData)
      resolve(text)
    }
    socket.on('data', onData).once('close', () => reject(new Error(`closed after: ${text}`)))
  })
}
