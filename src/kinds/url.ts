/** Parts of connection URLs. Pure. */
import type { Address } from './kind.ts'

const percentEncoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/**
 * Percent-encodes every character that has a meaning in a URL or in a text into which a URL is pasted. `*` is not
 * encoded, so a masked secret remains recognizable.
 */
export const encoded = (text: string) => encodeURIComponent(text).replace(/[!'()]/g, percentEncoded)

/**
 * Percent-encodes a path. `/` and most other characters that are legal in a path are not encoded, because some drivers
 * do not decode them. `!`, `'`, `(` and `)` are legal too, but are encoded as in `encoded`.
 */
export const encodedPath = (text: string) => encodeURI(text).replace(/[?#!'()]/g, percentEncoded)

/** Returns `host:port`, with an IPv6 address in brackets. */
export const authorityOf = ({ host, port }: Address) => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Percent-encodes the value of a parameter that is a path. Its slashes remain readable. */
export const encodedParameter = (path: string) => encoded(path).replaceAll('%2F', '/')
