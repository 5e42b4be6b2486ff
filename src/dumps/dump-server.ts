/** A server whose databases Berth dumps and restores: the properties that the dump tools need. */
import type { Kind } from '../kinds/kind.ts'

export interface DumpServer {
  kind: Kind
  /** The image that the server runs. Its tools have the version of the server. */
  image: string
  /** The version of the server that wrote the volume; null if Berth has never logged in to the server. */
  version: string | null
  /** The node that has the image; absent: the engine's own node. */
  nodeId?: string | undefined
  /** Hides the server's passwords in a text. */
  mask(text: string): string
}
