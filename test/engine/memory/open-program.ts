/** A program of the in-memory engine with open input and output: it answers each line. */
import { Readable, Writable } from 'node:stream'
import type { Outcome } from '../../../src/engine/engine.ts'
import type { OpenProgram } from '../../../src/engine/exec.ts'

/** @param answer returns the output for one line of input; no output, or an exit code other than 0, ends the program */
export function openProgram(answer: (line: string) => Outcome | Promise<Outcome>): OpenProgram {
  const stdout = new Readable({ read: () => undefined })
  const end = () => {
    if (!stdout.readableEnded) stdout.push(null)
  }
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = chunk.toString().trimEnd().split('\n')
      const answered = lines.reduce(async (earlier, line) => {
        await earlier
        const { exitCode, stdout: text } = await answer(`${line}\n`)
        if (exitCode === 0 && text !== '') stdout.push(text)
        else end()
      }, Promise.resolve())
      answered.then(() => done(), done)
    },
    final(done) {
      end()
      done()
    },
  })
  return { stdin, stdout, close: () => stdin.end() }
}
