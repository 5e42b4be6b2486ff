/** Decides which words start the server of an image with arguments: those of its entry point, its command or both. Pure. */
import type { ImageStart } from '../engine/engine.ts'
import type { Kind } from './kind.ts'

/**
 * Why an image starts no server with arguments. `entrypoint`: its entry point is a shell line that ignores arguments.
 * `command`: the arguments would replace its command, and no entry point starts the server.
 */
export type StartFault = 'entrypoint' | 'command'

const shells = new Set(['ash', 'bash', 'dash', 'ksh', 'sh', 'zsh'])
/** Programs that start another program, which follows their options. */
const wrappers = new Set(['catatonit', 'docker-init', 'dumb-init', 'env', 'tini', 'tini-static'])
/** Programs that start another program, which follows the name of a user. */
const userWrappers = new Set(['gosu', 'su-exec'])

const baseName = (word: string) => word.slice(word.lastIndexOf('/') + 1)

/** The program that an entry point starts, and its arguments. Empty if the entry point starts what follows it. */
function programOf(entrypoint: readonly string[]): readonly string[] {
  const [first, ...rest] = entrypoint
  if (first === undefined) return []
  const name = baseName(first)
  if (userWrappers.has(name)) return programOf(rest.slice(1))
  if (wrappers.has(name)) {
    const next = rest.findIndex((word) => !word.startsWith('-') && !word.includes('='))
    return next === -1 ? [] : programOf(rest.slice(next))
  }
  return shells.has(name) && rest.length === 0 ? [] : entrypoint
}

/** Whether a shell runs one line of text that does not mention the arguments after it. */
function ignoresArguments([first = '', ...rest]: readonly string[]): boolean {
  if (!shells.has(baseName(first))) return false
  const option = rest.findIndex((word) => /^-[a-z]*c[a-z]*$/.test(word))
  return option !== -1 && !/\$\{?[@*]/.test(rest[option + 1] ?? '')
}

/** Whether the word is an argument of a server, and not a program: an option or a configuration file. */
const isArgument = (word: string) => word.startsWith('-') || word.endsWith('.conf')

/**
 * Returns the arguments of the container, before the kind adds its own. They replace the command of the image.
 *
 * @param own the arguments of the caller
 * @param added arguments of Berth for a temporary server. They follow the others
 */
export function containerArguments(
  kind: Pick<Kind, 'launch' | 'serverPrograms'>,
  image: ImageStart,
  own: readonly string[],
  added: readonly string[] = [],
): string[] | StartFault {
  if (own.length + added.length === 0 && kind.launch === undefined) return []
  const words = firstArguments(kind, image, own)
  return typeof words === 'string' ? words : [...words, ...added]
}

function firstArguments(
  kind: Pick<Kind, 'serverPrograms'>,
  { entrypoint, command }: ImageStart,
  own: readonly string[],
): readonly string[] | StartFault {
  const [firstOwn] = own
  const program = programOf(entrypoint)
  if (ignoresArguments(program)) return 'entrypoint'
  if (firstOwn !== undefined && !isArgument(firstOwn)) return own
  const [first] = command
  const hasProgram = program.length > 0
  if (hasProgram && (first === undefined || isArgument(first))) return firstOwn === undefined ? command : own
  if (first === undefined || !kind.serverPrograms.includes(baseName(first))) return 'command'
  if (firstOwn === undefined) return hasProgram && command.length === 1 ? [] : command
  return hasProgram ? own : [first, ...own]
}

/** How an image starts whose configuration is unknown: like the official images, whose entry point takes arguments. */
export const unknownStart: ImageStart = { entrypoint: ['docker-entrypoint.sh'], command: [] }
