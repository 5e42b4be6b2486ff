/** Parts of the URLs that drivers take. Pure. */
import type { Address } from './kind.ts'

const byCode = (it: string) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`

/** Everything that could mean something, in a URL or where one is pasted; `*` stays, so that a mask is still seen. */
export const encoded = (text: string) => encodeURIComponent(text).replace(/[!'()]/g, byCode)

/** The same for a path, whose `/` and the like some drivers do not decode. */
export const encodedPath = (text: string) => encodeURI(text).replace(/[?#!'()]/g, byCode)

/** An IPv6 address stands in brackets. */
export const authorityOf = ({ host, port }: Address) => `${host.includes(':') ? `[${host}]` : host}:${port}`
