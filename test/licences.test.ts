/** docs/licences.md lists what Berth is run with; each is pinned, and may be used without giving Berth's own away. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'

const path = new URL('../docs/licences.md', import.meta.url)
const write = 'WRITE_LICENCES=1 node --test test/licences.test.ts'

interface Locked {
  version: string
  license?: string
  dev?: boolean
  integrity?: string
}

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')) as unknown
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }
const { dependencies, devDependencies } = read('package.json') as Manifest

const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
const installed = Object.entries(packages).filter(([place]) => place !== '')
/** What the tests and the bench alone need is not shipped. */
const shipped = installed
  .filter(([, { dev }]) => dev !== true)
  .map(([place, it]) => ({ name: nameOf(place), ...it }))
  .sort((a, b) => (a.name < b.name ? -1 : 1))

/** Licences that ask for no more than their own text beside the copy. */
const permissive = new Set(['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD', '(MIT OR Apache-2.0)'])

function listText(): string {
  const direct = shipped.filter(({ name }) => name in dependencies)
  const rest = shipped.filter(({ name }) => !(name in dependencies))
  const table = (rows: typeof shipped) =>
    [
      '| package | version | licence |',
      '|---|---|---|',
      ...new Set(rows.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`)),
    ].join('\n')
  return `# Licences of what Berth is run with

The npm packages of the lock file, without those of the tests and the bench. Some are for one platform each, and only
that one is installed. Written by \`${write}\`.

## Dependencies

${table(direct)}

## Theirs

${table(rest)}
`
}

test('docs/licences.md is what the lock file says', () => {
  if (process.env.WRITE_LICENCES === '1') writeFileSync(path, listText())
  assert.equal(readFileSync(path, 'utf8') === listText(), true, `it differs: run ${write} and look at the difference`)
})

test('each licence is a permissive one', () => {
  assert.ok(shipped.length > 0)
  assert.deepEqual(
    shipped.filter(({ license }) => !permissive.has(license ?? '')).map(({ name }) => name),
    [],
  )
})

test('each dependency is pinned to one version, and each package to its content', () => {
  const versions = Object.entries({ ...dependencies, ...devDependencies })
  assert.deepEqual(
    versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
    [],
  )
  assert.deepEqual(
    installed.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([name]) => name),
    [],
  )
})
