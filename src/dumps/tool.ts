/** What reading and writing a dump needs to know of a server. */
import type { Kind } from '../kinds/kind.ts'

export interface DumpTools {
  kind: Kind
  /** The very one that its server runs: its tools are those. */
  image: string
  /** Of the server that wrote the volume; null where it has never been logged in to. */
  version: string | null
  /** Takes its passwords out of what a tool printed. */
  mask(text: string): string
}
