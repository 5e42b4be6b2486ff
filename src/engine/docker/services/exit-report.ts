/** Reads why a container ended: its exit state and its last log lines. For containers of the engine's own node. */
import { stripVTControlCharacters } from 'node:util'
import type { ApiContainerDetails } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { frames } from '../transport/frames.ts'
import type { FoundTask, ExitReport } from '../../engine.ts'

/** The maximum number of log lines in a report. */
export const maxLines = 20
const maxCharacters = 300
/** The stream number of the engine's own messages in a log. */
const engineStream = 3

/** The report for a task whose container is gone: only the task's exit code is known. */
export const reportWithoutContainer = ({ exitCode }: FoundTask): ExitReport => ({
  exitCode,
  outOfMemory: false,
  lastLines: [],
})

export async function readExitReport(client: DockerClient, containerId: string): Promise<ExitReport> {
  const path = `/containers/${containerId}`
  const details = await client.call<ApiContainerDetails>({ path: `${path}/json` })
  const query = { stdout: 1, stderr: 1, tail: maxLines }
  const lastLines = linesOf(await client.bytes({ path: `${path}/logs`, query }))
  return { ...exitStateOf(details), outOfMemory: await isOutOfMemory(client, details), lastLines }
}

type EndedContainer = Pick<ApiContainerDetails, 'Id' | 'State'>

/** The end according to the container's state. `outOfMemory` may be missed there: see `isOutOfMemory`. */
export function exitStateOf({ State }: Pick<EndedContainer, 'State'>): Omit<ExitReport, 'lastLines'> {
  return { exitCode: State.Running ? null : State.ExitCode, outOfMemory: State.OOMKilled }
}

/** The exit code of a process ended by SIGKILL, which the kernel's out-of-memory killer sends too. */
const killed = 137

/**
 * Whether the kernel's out-of-memory killer ended the container. The engine receives the out-of-memory notice
 * separately from the exit. If the notice comes later (2 of 84 exits on a busy machine, Docker 20.10), the engine
 * reports it as an event and not in the container's state. So for killed containers the events up to two seconds after
 * the end are read.
 */
export async function isOutOfMemory(client: DockerClient, { Id, State }: EndedContainer): Promise<boolean> {
  if (State.OOMKilled || State.Running || State.ExitCode !== killed) return State.OOMKilled
  const filters = { type: ['container'], container: [Id], event: ['oom'] }
  const query = { filters, since: secondOf(State.StartedAt), until: secondOf(State.FinishedAt) + 2 }
  return (await client.bytes({ path: '/events', query })).length > 0
}

/** Seconds since 1970, by the engine's clock. */
const secondOf = (at: string) => Math.floor(Date.parse(at) / 1000)

/** The last lines of a log in Docker's frames, without control characters and escape sequences. */
export function linesOf(log: Buffer): string[] {
  const parts: Buffer[] = []
  frames((stream, part) => {
    if (stream !== engineStream) parts.push(part)
  })(log)
  const lines = Buffer.concat(parts).toString().split(/\r?\n/).map(plain)
  return lines.filter((line) => line !== '').slice(-maxLines)
}

function plain(line: string): string {
  const visible = stripVTControlCharacters(line)
    .replaceAll('\t', ' ')
    .replace(/\p{Cc}/gu, '')
  return visible.slice(0, maxCharacters).trimEnd()
}
