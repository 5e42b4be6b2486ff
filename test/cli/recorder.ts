/** A stream for the output of a command. */
import { Writable } from 'node:stream'

/** A stream that keeps what is written to it. */
export function recorder(isTTY: boolean, columns: number) {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.text += String(chunk)
      done()
    },
  })
  const written = Object.assign(stream, { text: '', isTTY, columns })
  return written
}
