/** The licence texts of the packages in a release. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Package {
  /** Its folder, relative to the root of the project. */
  folder: string
  name: string
  version: string
}

/** Packages without a licence text, each with a package of the same project that contains the text. */
const sameText: Record<string, string> = {
  '@aws-sdk/credential-provider-http': '@aws-sdk/credential-provider-env',
  '@aws-sdk/credential-provider-login': '@aws-sdk/credential-provider-env',
  '@aws-sdk/nested-clients': '@aws-sdk/client-s3',
  '@node-rs/argon2-linux-x64-gnu': '@node-rs/argon2',
  '@node-rs/bcrypt-linux-x64-gnu': '@node-rs/bcrypt',
}

/** The packages to which the files belong. @param files paths relative to the root of the project */
export function packagesOf(root: string, files: readonly string[]): Package[] {
  const folders = new Set(files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
  return [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Package
    return { folder, name, version }
  })
}

/**
 * Writes the licence texts into a new folder, a file for each package, and the list of all packages.
 * @throws if a package has no licence text, or is missing in docs/licences.md
 */
export function writeLicences(root: string, target: string, packages: readonly Package[]): void {
  mkdirSync(target)
  const list = readFileSync(join(root, 'docs/licences.md'), 'utf8')
  const unlisted = packages.filter(({ name, version }) => !list.includes(`| ${name} | ${version} |`))
  if (unlisted.length > 0) throw new Error(`docs/licences.md does not list ${namesOf(unlisted)}`)
  const missing = packages.filter((each) => !writeLicence(root, target, each))
  if (missing.length > 0) throw new Error(`There is no licence text of ${namesOf(missing)}`)
  writeFileSync(join(target, 'packages.md'), list)
}

const namesOf = (packages: readonly Package[]) => packages.map(({ name, version }) => `${name} ${version}`).join(', ')

/** @returns whether there is a text */
function writeLicence(root: string, target: string, { folder, name, version }: Package): boolean {
  const substitute = sameText[name]
  const candidates = [
    ...textsIn(join(root, folder)),
    ...(substitute === undefined ? [] : textsIn(join(root, 'node_modules', substitute))),
    // Texts that a package only links to.
    join(import.meta.dirname, 'licences', `${name}.txt`),
  ]
  // A package can have several texts of its own, such as a notice.
  const own = candidates.filter((path) => path.startsWith(join(root, folder, '/')))
  const chosen = own.length > 0 ? own : candidates.filter((path) => existsSync(path)).slice(0, 1)
  if (chosen.length === 0) return false
  const text = chosen.map((path) => readFileSync(path, 'utf8').trim()).join('\n\n')
  writeFileSync(join(target, `${name.replace('/', '--')}-${version}.txt`), `${text}\n`)
  return true
}

const textsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^(?:licen[sc]e|copying|notice)/i.test(name))
    .sort()
    .map((name) => join(folder, name))
