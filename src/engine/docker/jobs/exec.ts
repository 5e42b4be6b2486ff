/**
 * Runs a program in an existing container of the engine's own node (docker exec). Docker cannot end such a program:
 * after a timeout the program continues in its container with closed input, and its output is ignored.
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

/** The limit of each output in bytes. */
const maxBytes = 1024 * 1024

/**
 * Returns the outcome of the program, with exit code 124 after `timeoutMs`. Output beyond 1 MiB per stream is dropped.
 * Throws EngineUnavailable if the connection breaks while the program runs.
 */
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
  const output = await communicate(socket, program.stdin, timeoutMs)
  if (output.isLate) return timedOut(output, timeoutMs)
  return { exitCode: await exitCodeOf(client, Id), stdout: output.stdout, stderr: output.stderr }
}

/** The outcome of a program that exceeded its timeout, with the exit code of coreutils' `timeout`. */
export function timedOut({ stdout, stderr }: Omit<Outcome, 'exitCode'>, timeoutMs: number): Outcome {
  return { exitCode: 124, stdout, stderr: `${stderr}Not finished within ${timeoutMs} ms\n` }
}

/** The time limit for measuring the disk usage of a volume. */
export const diskUsageSeconds = 8

/**
 * Returns the output of `du -sk`. The exit code is ignored: `du` fails if files disappear while it runs, but its sum is
 * usable.
 */
export async function diskUsageOf(client: DockerClient, containerId: string, path: string): Promise<string> {
  return (await runProgram(client, containerId, { argv: ['du', '-sk', path], env: {} }, diskUsageSeconds * 1000)).stdout
}

/** Returns the output of `df -Pk`. */
export async function diskFreeOf(client: DockerClient, containerId: string, path: string): Promise<string> {
  return (await runProgram(client, containerId, { argv: ['df', '-Pk', path], env: {} }, diskUsageSeconds * 1000)).stdout
}

interface ProgramOutput {
  stdout: string
  stderr: string
  isLate: boolean
}

/** Writes the input, if any. Reads until the output ends, the connection breaks or the timeout passes. */
async function communicate(socket: Duplex, stdin: string | undefined, timeoutMs: number): Promise<ProgramOutput> {
  const stdout = firstBytes()
  const stderr = firstBytes()
  const ended = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => ended.resolve(true), timeoutMs)
  const take = frames((stream, part) => (stream === 2 ? stderr : stdout).add(part))
  socket.on('data', take)
  for (const end of ['end', 'close', 'error']) socket.on(end, () => ended.resolve(false))
  if (stdin !== undefined) socket.end(stdin)
  const isLate = await ended.promise
  clearTimeout(timer)
  socket.destroy()
  return { stdout: stdout.text(), stderr: stderr.text(), isLate }
}

/** Collects the first bytes of an output as text, up to 1 MiB. */
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

/** Reads the exit code. Polls for up to 2 s, because the engine records the exit code shortly after the last output. */
async function exitCodeOf(client: DockerClient, id: string): Promise<number> {
  const pollEnd = Date.now() + 2000
  do {
    const { Running, ExitCode } = await client.call<ApiExec>({ path: `/exec/${id}/json` })
    if (!Running && ExitCode !== null) return ExitCode
    await pause(20)
  } while (Date.now() < pollEnd)
  throw new EngineUnavailable('The connection to the program broke while the program was running')
}
