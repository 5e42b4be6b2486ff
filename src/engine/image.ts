/** What the engine says about an image. */

/** The words that an image starts with: its entry point, and the command that arguments of a container replace. */
export interface ImageStart {
  entrypoint: string[]
  command: string[]
}

export interface ImageFound {
  /** The engine's id of the image, `sha256:...`. Different images have different ids. */
  id: string
  /** `name@sha256:...` in the requested repository; null if the engine knows no digest in this repository. */
  digest: string | null
  architecture: string
  /** Environment variables that the image declares, as `NAME=value`. */
  env: string[]
  start: ImageStart
}
