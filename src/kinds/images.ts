/** What an image's reference stands for, and the version that its tag or the image itself names. Pure. */
import { parseImage } from '../lib/text/image-reference.ts'
import type { Kind } from './kind.ts'

export type ImageAliases = ReadonlyMap<string, string>

/** Documented defaults that no registry has stand for another image. */
export function resolveImage(image: string, aliases: ImageAliases): string {
  return aliases.get(image) ?? image
}

/** Null where the tag names none. */
export function versionNamed(image: string, kind: Kind, aliases: ImageAliases): string | null {
  return kind.versionOf(parseImage(resolveImage(image, aliases))?.tag ?? null)
}

/** As far as the kind's files differ. A package's version may begin with an epoch, `1:11.8.9`. Null: none is named. */
const cut = (text: string | undefined, kind: Kind) => kind.versionOf(text?.replace(/^\d+:/, '') ?? null)

/** By the variables that an image declares, `NAME=value`; null where none names one. */
export function versionDeclared(env: readonly string[], kind: Kind): string | null {
  const values = kind.imageVersion.variables.map((name) => env.find((it) => it.startsWith(`${name}=`)))
  return values.map((it) => cut(it?.slice(it.indexOf('=') + 1), kind)).find((version) => version !== null) ?? null
}

/** By what the server itself prints; null where that names none. */
export function versionPrinted(text: string, kind: Kind): string | null {
  return cut(kind.imageVersion.printed.exec(text)?.[1], kind)
}
