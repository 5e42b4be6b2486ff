/** What an image's reference stands for, and the version that its tag names. Pure. */
import { parseImage } from '../lib/image-reference.ts'
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
