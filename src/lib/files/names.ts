/** The paths of objects below a folder, and the names of files that are not complete. Pure. */

/** Returns the path of the object; null if no object can have this key. */
export function pathOf(base: string, key: string): string | null {
  const names = key.split('/')
  return names.every(isName) ? joined(base, names) : null
}

/** A name that leads neither out of its folder nor to a file that Berth has not completed. */
const isName = (name: string): boolean =>
  !['', '.', '..'].includes(name) && !name.includes('\0') && !name.includes('/') && !unfinished.test(name)

const unfinished = /^\..+\.berth-(?:upload|put)$/

const joined = (base: string, names: readonly string[]): string =>
  names.length === 0 ? base : `${base === '/' ? '' : base}/${names.join('/')}`

/** The folders above an object, below the base, from the top down. */
export function foldersOf(base: string, key: string): string[] {
  const names = key.split('/').slice(0, -1)
  return names.map((_, i) => joined(base, names.slice(0, i + 1)))
}

/** The folder of a path. */
export const folderOfPath = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

const besides = (path: string, name: (own: string) => string): string => {
  const at = path.lastIndexOf('/') + 1
  return path.slice(0, at) + name(path.slice(at))
}

/** The file into which an upload writes, beside the object. */
export const uploadPath = (path: string, uploadId: string): string =>
  besides(path, (own) => `.${own}.${uploadId}.berth-upload`)

/** The file into which `put` writes, beside the object. It has one name, so the next `put` replaces it. */
export const putPath = (path: string): string => besides(path, (own) => `.${own}.berth-put`)

/** The upload that writes into a file with this name; null for other files. */
export function uploadIn(name: string): { name: string; uploadId: string } | null {
  const found = /^\.(.+)\.([0-9a-f]{16})\.berth-upload$/.exec(name)
  return found === null ? null : { name: found[1]!, uploadId: found[2]! }
}

/** Whether a file or folder with this name belongs to the objects. */
export const isListed = isName

/**
 * The deepest folder that has all keys with this prefix, as the beginning of these keys: '' or a text that ends in a slash.
 * Null: no key has this prefix.
 */
export function folderOfPrefix(prefix: string): string | null {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  return folder === '' || folder.slice(0, -1).split('/').every(isName) ? folder : null
}
