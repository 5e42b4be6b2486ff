/** Derives the target of a database without a record from its service. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { envText, isWritable } from '../../shared/env-text.ts'
import { shellWord } from '../../shared/shell-word.ts'
import type { FoundSpec } from '../engine/spec.ts'
import type { Kind } from '../kinds/kind.ts'
import type { ResolvedImage, Settings, Target } from './targets.ts'

const mebibyte = 1024 * 1024
const nano = 1_000_000_000

/** What the specification of the service does not contain. */
export interface Known {
  /** Credentials that the server accepts. */
  settings: Settings
  /** The image as the record names it. */
  dockerImage: string
  image: ResolvedImage
  externalPort: number | null
}

/**
 * Returns the target whose specification equals that of the service. What a target cannot say, because somebody changed
 * the service outside Berth, is left out. The service then differs from the target, and the database has drift.
 */
export function foundTarget(kind: Kind, spec: FoundSpec, known: Known): Target {
  const memoryLimit = divided(spec.memoryLimitBytes, mebibyte)
  const words = commandOf(kind, known.settings, spec.args, memoryLimit)
  return {
    ...known,
    command: words.length === 0 ? null : words.map(shellWord).join(' '),
    env: envText(ownVariables(kind, spec.env)),
    memoryLimit,
    memoryReservation: divided(spec.memoryReservationBytes, mebibyte),
    cpuLimit: divided(spec.cpuLimitNano, nano),
    cpuReservation: divided(spec.cpuReservationNano, nano),
    restarts: spec.restarts,
  }
}

/**
 * The secrets in the environment of the service, with which the first server on its volume was started. The present ones
 * can differ. A secret that the environment does not contain is as the present one.
 */
export function foundStartSecrets({ env, secrets }: Kind, { env: found }: FoundSpec, settings: Settings): Settings {
  const fields = Object.fromEntries(Object.keys(settings).map((name) => [name, name]))
  const ofStart = Object.entries(env(fields)).map(([variable, field]) => [field, found[variable]] as const)
  const byField = new Map(ofStart)
  return Object.fromEntries(secrets.map((name) => [name, byField.get(name) ?? settings[name]!]))
}

const divided = (value: number | null, unit: number) => (value === null ? null : value / unit)

/** The variables that the caller has set, without those of the kind. */
function ownVariables(kind: Kind, env: Record<string, string>): Record<string, string> {
  const isOwn = ([name, value]: [string, string]) => !Object.hasOwn(kind.reserved, name) && isWritable(value)
  return Object.fromEntries(Object.entries(env).filter(isOwn))
}

/** The number of arguments that kinds add at most after the command. */
const maxAdded = 12
/** The positions at which kinds add an option with a value: none, before the command, after the name of the program. */
const optionPositions = [null, 0, 1]

/** The command for which the kind starts the server with these arguments: the arguments without those of the kind. */
function commandOf({ launch }: Kind, settings: Settings, args: string[], memoryLimit: number | null): string[] {
  if (launch === undefined) return args
  for (let end = Math.max(0, args.length - maxAdded); end < args.length; end++) {
    for (const at of optionPositions) {
      const words = at === null ? args.slice(0, end) : args.slice(0, end).toSpliced(at, 2)
      if (isDeepStrictEqual(launch(settings, words, memoryLimit).args, args)) return words
    }
  }
  return args
}
