/** Reads why a container of the engine's own node ended: its exit state and its last log lines. */
import type { ApiContainerDetails } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { frames } from '../transport/frames.ts'
import type { FoundTask, ExitReport } from '../../engine.ts'
import { plainLine } from '../../../lib/text/plain-line.ts'

/** The maximum number of log lines in a report. */
export const maxLines = 100
const maxCharacters = 2000
/** The stream number of the engine's own messages in a log. */
const engineStream = 3

/** The report for a task whose container was not created, was removed or cannot be read. */
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

type ContainerState = Pick<ApiContainerDetails, 'Id' | 'State'>

/** The exit according to the container's state. `outOfMemory` may wrongly be false: see `isOutOfMemory`. */
export function exitStateOf({ State }: Pick<ContainerState, 'State'>): Omit<ExitReport, 'lastLines'> {
  return { exitCode: State.Running ? null : State.ExitCode, outOfMemory: State.OOMKilled }
}

/** The exit code after SIGKILL, the signal that the kernel's out-of-memory killer also sends. */
const sigkillExitCode = 137

/**
 * Whether the kernel's out-of-memory killer killed a process of the container. The engine receives the out-of-memory
 * notice separately from the exit. If the notice comes after the exit (2 of 84 exits on a busy machine, Docker 20.10),
 * the engine reports an event but does not change the container's state. Therefore this function also reads the events
 * of a killed container, up to two seconds after its exit.
 */
export async function isOutOfMemory(client: DockerClient, { Id, State }: ContainerState): Promise<boolean> {
  if (State.OOMKilled || State.Running || State.ExitCode !== sigkillExitCode) return State.OOMKilled
  const filters = { type: ['container'], container: [Id], event: ['oom'] }
  const query = { filters, since: secondOf(State.StartedAt), until: secondOf(State.FinishedAt) + 2 }
  return (await client.bytes({ path: '/events', query })).length > 0
}

/** Converts a time of the engine's clock to seconds since 1970. */
const secondOf = (at: string) => Math.floor(Date.parse(at) / 1000)

/** Returns the last lines of a log in Docker's frames, without control characters and escape sequences. */
export function linesOf(log: Buffer): string[] {
  const parts: Buffer[] = []
  frames((stream, part) => {
    if (stream !== engineStream) parts.push(part)
  })(log)
  const lines = Buffer.concat(parts)
    .toString()
    .split(/\r?\n/)
    .map((line) => plainLine(line, maxCharacters))
  return lines.filter((line) => line !== '').slice(-maxLines)
}
