/**
 * Runs a program in a container of this engine's node. Argv, environment and bytes only: nothing to quote.
 * Docker cannot end such a program: one that is late goes on in its container, unheard, its input closed.
 */
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Exec } from '../../exec.ts'
import type { ApiExec } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { frames } from '../transport/frames.ts'
import { envList } from '../services/spec.ts'
import { EngineUnavailable } from '../../engine.ts'
import type { Outcome } from '../../engine.ts'

/** Of each output; what is beyond is dropped. */
const maxBytes = 1024 * 1024

export async function runProgram(
  client: DockerClient,
  containerId: string,
  program: Exec,
  timeoutMs: number,
): Promise<Outcome> {
  const { Id } = await client.call<{ Id: string }>({
    method: 'POST',
    path: `/containers/${containerId}/exec`,
    body: {
      AttachStdin: program.stdin !== undefined,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
      Cmd: program.argv,
      Env: envList(program.env),
    },
  })
  const socket = await client.hijack({ method: 'POST', path: `/exec/${Id}/start`, body: { Detach: false, Tty: false } })
  const heard = await converse(socket, program.stdin, timeoutMs)
  if (!heard.late) return { exitCode: await exitCodeOf(client, Id), stdout: heard.stdout, stderr: heard.stderr }
  return late(heard, timeoutMs)
}

/** With the exit code of coreutils' `timeout`. */
export function late({ stdout, stderr }: Omit<Outcome, 'exitCode'>, timeoutMs: number): Outcome {
  return { exitCode: 124, stdout, stderr: `${stderr}not done within ${timeoutMs} ms\n` }
}

/** Of a volume so large that counting its files takes longer, nobody waits for the end. */
export const countSeconds = 8

/** Files come and go meanwhile: `du` complains of those, and counts all the same. */
export async function diskUsageOf(client: DockerClient, containerId: string, path: string): Promise<string> {
  return (await runProgram(client, containerId, { argv: ['du', '-sk', path], env: {} }, countSeconds * 1000)).stdout
}

interface Heard {
  stdout: string
  stderr: string
  late: boolean
}

/** Writes the input, if any, and listens to the end; a connection that breaks counts as an end. */
async function converse(socket: Duplex, stdin: string | undefined, timeoutMs: number): Promise<Heard> {
  const stdout = firstBytes()
  const stderr = firstBytes()
  const ended = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => ended.resolve(true), timeoutMs)
  const take = frames((stream, part) => (stream === 2 ? stderr : stdout).add(part))
  socket.on('data', take)
  for (const end of ['end', 'close', 'error']) socket.on(end, () => ended.resolve(false))
  if (stdin !== undefined) socket.end(stdin)
  const late = await ended.promise
  clearTimeout(timer)
  socket.destroy()
  return { stdout: stdout.text(), stderr: stderr.text(), late }
}

/** As text, as many as an output may have. */
export function firstBytes() {
  const parts: Buffer[] = []
  let left = maxBytes
  return {
    add(part: Buffer) {
      if (left > 0) parts.push(part.subarray(0, left))
      left -= part.length
    },
    text: () => Buffer.concat(parts).toString(),
  }
}

/** The engine notes the exit shortly after the last output. */
async function exitCodeOf(client: DockerClient, id: string): Promise<number> {
  const until = Date.now() + 2000
  do {
    const it = await client.call<ApiExec>({ path: `/exec/${id}/json` })
    if (!it.Running && it.ExitCode !== null) return it.ExitCode
    await pause(20)
  } while (Date.now() < until)
  throw new EngineUnavailable('The connection to the program broke before it ended')
}
