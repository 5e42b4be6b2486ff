/** Why a container ended: what the engine still knows of it, and its last words. Knows only this engine's own node. */
import { stripVTControlCharacters } from 'node:util'
import type { ApiContainerDetails } from './docker-api.ts'
import type { DockerClient } from './docker-client.ts'
import { isMissing } from './docker-errors.ts'
import { frames } from './docker-frames.ts'
import type { FoundTask, PostMortem } from './engine.ts'

const mostLines = 20
const mostCharacters = 300

/** Without a container here (it is gone, or on another node) all that is left is the task's own exit code. */
export async function examine(client: DockerClient, task: FoundTask): Promise<PostMortem> {
  const unknown = { exitCode: task.exitCode, outOfMemory: false, lastLines: [] }
  if (!task.containerId) return unknown
  const path = `/containers/${task.containerId}`
  try {
    const { State } = await client.call<ApiContainerDetails>({ path: `${path}/json` })
    const query = { stdout: 1, stderr: 1, tail: mostLines }
    const log = await client.bytes({ path: `${path}/logs`, query })
    const exitCode = State.Running ? null : State.ExitCode
    return { exitCode, outOfMemory: State.OOMKilled, lastLines: linesOf(log) }
  } catch (error) {
    if (isMissing(error)) return unknown
    throw error
  }
}

/** The last lines of a log in frames, as plain text that is safe to show. */
export function linesOf(log: Buffer): string[] {
  const parts: Buffer[] = []
  frames((_stream, part) => parts.push(part))(log)
  const lines = Buffer.concat(parts).toString().split(/\r?\n/).map(plain)
  return lines.filter((line) => line !== '').slice(-mostLines)
}

function plain(line: string): string {
  const visible = stripVTControlCharacters(line).replaceAll('\t', ' ').replace(/\p{Cc}/gu, '')
  return visible.slice(0, mostCharacters).trimEnd()
}
