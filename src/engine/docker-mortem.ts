/** Why a container ended: what the engine still knows of it, and its last words. Knows only this engine's own node. */
import { stripVTControlCharacters } from 'node:util'
import type { ApiContainerDetails } from './docker-api.ts'
import type { DockerClient } from './docker-client.ts'
import { frames } from './docker-frames.ts'
import type { FoundTask, PostMortem } from './engine.ts'

/** Of the end of a log. */
export const mostLines = 20
const mostCharacters = 300
/** By which the engine says that a log is not whole. */
const engineStream = 3

/** Without a container all that is left is the task's own exit code. */
export const unknownEnd = ({ exitCode }: FoundTask): PostMortem => ({ exitCode, outOfMemory: false, lastLines: [] })

export async function examine(client: DockerClient, containerId: string): Promise<PostMortem> {
  const path = `/containers/${containerId}`
  const { State } = await client.call<ApiContainerDetails>({ path: `${path}/json` })
  const query = { stdout: 1, stderr: 1, tail: mostLines }
  return { ...endIn(State), lastLines: linesOf(await client.bytes({ path: `${path}/logs`, query })) }
}

export function endIn(state: ApiContainerDetails['State']): Omit<PostMortem, 'lastLines'> {
  return { exitCode: state.Running ? null : state.ExitCode, outOfMemory: state.OOMKilled }
}

/** The last lines of a log in frames, as plain text that is safe to show. */
export function linesOf(log: Buffer): string[] {
  const parts: Buffer[] = []
  frames((stream, part) => { if (stream !== engineStream) parts.push(part) })(log)
  const lines = Buffer.concat(parts).toString().split(/\r?\n/).map(plain)
  return lines.filter((line) => line !== '').slice(-mostLines)
}

function plain(line: string): string {
  const visible = stripVTControlCharacters(line).replaceAll('\t', ' ').replace(/\p{Cc}/gu, '')
  return visible.slice(0, mostCharacters).trimEnd()
}
