/** Asks a client that stays connected to its server, one question at a time. */
import { createInterface } from 'node:readline'
import type { OpenProgram } from '../engine/exec.ts'
import { answerEnd } from '../kinds/sampler.ts'

export interface SampleClient {
  /**
   * Returns the lines of the answer. Null if the client has ended, or does not answer in time: then it is closed, because
   * its late answer would belong to no question.
   */
  ask(question: string, timeoutMs: number): Promise<string[] | null>
  close(): void
}

/** A client that writes more for one question is closed: users can run any image. */
const maxBytes = 256 * 1024

export function sampleClient(program: OpenProgram): SampleClient {
  let isOpen = true
  let answer: { lines: string[]; resolve(lines: string[] | null): void } | null = null
  let written = 0
  const output = createInterface({ input: program.stdout })
  const end = (lines: string[] | null) => {
    answer?.resolve(lines)
    answer = null
  }
  const close = () => {
    isOpen = false
    end(null)
    output.close()
    program.close()
  }
  program.stdin.on('error', close)
  program.stdout.on('data', ({ length }: Buffer) => {
    written += length
    if (written > maxBytes) close()
  })
  output
    .on('line', (line) => {
      if (line === answerEnd) end(answer?.lines ?? null)
      else answer?.lines.push(line)
    })
    .on('close', close)
    .on('error', close)
  return {
    close,
    async ask(question, timeoutMs) {
      if (!isOpen) return null
      const { promise, resolve } = Promise.withResolvers<string[] | null>()
      answer = { lines: [], resolve }
      written = 0
      const timer = setTimeout(close, timeoutMs)
      program.stdin.write(question)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
