/** The console in the browser: its pages, scripts and styles. The bundler writes them into the folder `console/`. */
import { readdirSync, readFileSync } from 'node:fs'
import { Refusal } from '../../errors.ts'
import { type Document, documentOf } from './document.ts'

const isSource = import.meta.url.endsWith('/src/http/documents/console.ts')
const builtFolder = new URL(isSource ? '../../../dist/console/' : './console/', import.meta.url)

export interface ConsoleFiles {
  /** Returns the page of the console for a path. @throws a Refusal if the console is not built */
  page(path: string): Document
  /** Scripts, styles and pictures by their paths. */
  assets: ReadonlyMap<string, Document>
}

/**
 * Reads all files of the console. No text of a caller becomes part of a file name, and the files may be replaced while
 * Berth runs. If `folder` does not exist, there is no console: Berth runs from sources that were never built.
 */
export function readConsole(folder: URL = builtFolder): ConsoleFiles {
  const { pages, assets } = readFolder(folder)
  return {
    page(path) {
      const page = pages.get(path) ?? pages.get('/index')
      if (page === undefined) throw new Refusal('NOT_FOUND', 'The console is not built. Start Berth with ./berth up')
      return page
    },
    assets,
  }
}

function readFolder(folder: URL): Record<'pages' | 'assets', Map<string, Document>> {
  const read = (path: string) => readFileSync(new URL(path, folder))
  try {
    const pages = readdirSync(folder)
      .filter((name) => name.endsWith('.html'))
      .map((name) => [`/${name.slice(0, -'.html'.length)}`, pageOf(read(name))] as const)
    const assets = readdirSync(new URL('assets/', folder)).map(
      (name) => [`/assets/${name}`, assetOf(name, read(`assets/${name}`))] as const,
    )
    return { pages: new Map(pages), assets: new Map(assets) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { pages: new Map(), assets: new Map() }
  }
}

/**
 * Other paths answer programs with JSON, so the answer depends on the accepted types. A page has 2 kB, so it is not
 * compressed: scanners report every compressed page as open to BREACH (CVE-2013-3587).
 */
const pageOf = (content: Buffer) => {
  const headers = { ...security, 'content-type': 'text/html; charset=utf-8', vary: 'accept' }
  return documentOf(content, headers, { canCompress: false })
}

/** The name of an asset contains a hash of its content. */
const assetOf = (name: string, content: Buffer) =>
  documentOf(content, {
    ...security,
    'content-type': typeOf(name),
    'cache-control': 'public, max-age=31536000, immutable',
  })

function typeOf(name: string): string {
  const type = types[name.slice(name.lastIndexOf('.'))]
  if (type === undefined) throw new Error(`The type of ${name} is unknown`)
  return type
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** `berth` is the policy with which the console makes the URL of its worker. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types berth',
]

/** Features of the browser that the console does not use. */
const unused = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
]

const security = {
  'content-security-policy': policy.join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': unused.map((feature) => `${feature}=()`).join(', '),
}
