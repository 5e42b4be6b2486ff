/** Resolves image aliases, and finds the server version in a tag, an image's environment or a server's output. Pure. */
import { parseImage } from '../lib/text/image-reference.ts'
import type { Kind } from './kind.ts'

/** Some documented default images exist in no registry. This maps each of them to the image that is used instead. */
export type ImageAliases = ReadonlyMap<string, string>

/** Returns the image that an alias stands for, or the image itself. */
export function resolveImage(image: string, aliases: ImageAliases): string {
  return aliases.get(image) ?? image
}

/** Returns the version that the tag of the image names, or null. */
export function versionOfTag(image: string, kind: Kind, aliases: ImageAliases): string | null {
  return kind.versionOf(parseImage(resolveImage(image, aliases))?.tag ?? null)
}

/**
 * Truncates a version to the parts that `Kind.versionOf` returns: `11.8.9` of MariaDB becomes `11.8`. Also removes the
 * epoch with which the version of a Debian package can begin, as in `1:11.8.9`.
 */
const versionIn = (text: string | undefined, kind: Kind) => kind.versionOf(text?.replace(/^\d+:/, '') ?? null)

/**
 * Returns the version that an image's environment variables name, or null.
 * @param env the variables as `NAME=value`
 */
export function versionInEnv(env: readonly string[], kind: Kind): string | null {
  const values = kind.imageVersion.variables.map((name) => env.find((it) => it.startsWith(`${name}=`)))
  return values.map((it) => versionIn(it?.slice(it.indexOf('=') + 1), kind)).find((version) => version !== null) ?? null
}

/** Returns the version in the output of the server's version command, or null. */
export function versionInOutput(text: string, kind: Kind): string | null {
  return versionIn(kind.imageVersion.printed.exec(text)?.[1], kind)
}
