/** Why a container ended: what the engine still knows of it, and its last words. Knows only this engine's own node. */
import { stripVTControlCharacters } from 'node:util'
import type { ApiContainerDetails } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { frames } from '../transport/frames.ts'
import type { FoundTask, ExitReport } from '../../engine.ts'

/** Of the end of a log. */
export const maxLines = 20
const maxCharacters = 300
/** By which the engine says that a log is not whole. */
const engineStream = 3

/** Without a container all that is left is the task's own exit code. */
export const unknownEnd = ({ exitCode }: FoundTask): ExitReport => ({ exitCode, outOfMemory: false, lastLines: [] })

export async function examine(client: DockerClient, containerId: string): Promise<ExitReport> {
  const path = `/containers/${containerId}`
  const found = await client.call<ApiContainerDetails>({ path: `${path}/json` })
  const query = { stdout: 1, stderr: 1, tail: maxLines }
  const lastLines = linesOf(await client.bytes({ path: `${path}/logs`, query }))
  return { ...endIn(found), outOfMemory: await isOutOfMemory(client, found), lastLines }
}

type Found = Pick<ApiContainerDetails, 'Id' | 'State'>

/** As its state tells it, which does not always know of memory: see `isOutOfMemory`. */
export function endIn({ State }: Pick<Found, 'State'>): Omit<ExitReport, 'lastLines'> {
  return { exitCode: State.Running ? null : State.ExitCode, outOfMemory: State.OOMKilled }
}

/** By SIGKILL, which the kernel sends too. */
const killed = 137

/**
 * The engine hears from the kernel that memory was out by another way than of the end. Where that word is the later one
 * (seen at 2 of 84 ends on a busy machine, Docker 20.10), it stands among the events and not in the state. So these are
 * asked about what was killed, up to two seconds after its end, in which the word may still come.
 */
export async function isOutOfMemory(client: DockerClient, { Id, State }: Found): Promise<boolean> {
  if (State.OOMKilled || State.Running || State.ExitCode !== killed) return State.OOMKilled
  const filters = { type: ['container'], container: [Id], event: ['oom'] }
  const query = { filters, since: secondOf(State.StartedAt), until: secondOf(State.FinishedAt) + 2 }
  return (await client.bytes({ path: '/events', query })).length > 0
}

/** Since 1970, by the engine's clock. */
const secondOf = (at: string) => Math.floor(Date.parse(at) / 1000)

/** The last lines of a log in frames, as plain text that is safe to show. */
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
