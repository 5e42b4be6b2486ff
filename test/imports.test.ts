/** The import graph: which folders of src/ may import each other, and which folders may import a package. */
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { consoleFiles, importsOf, programs, source } from './source-files.ts'

/**
 * The folders of src/, from the lowest layer up. A file may import its own folder and the folders of lower layers. If a
 * lower folder has to call a higher one, app.ts passes a function.
 */
const layers = [
  ['lib'],
  ['errors'],
  ['config'],
  ['engine', 'store'],
  ['gate'],
  ['kinds', 'clock'],
  ['runtime'],
  ['charge'],
  ['api'],
  ['deployments', 'events'],
  ['volumes', 'cluster', 'ports', 'gateways'],
  ['accounts', 'dumps'],
  ['databases'],
  ['projects', 'backups', 'routing'],
  ['registries', 'nodes'],
  ['conditions'],
  ['installation'],
  ['operations', 'metrics', 'readiness'],
  ['http'],
  ['app'],
  ['greeting', 'watchdog'],
  ['start', 'machine'],
  ['main'],
]

/** A folder of src/, or a file at its root. */
const roomOf = (path: string) => posix.basename(path.split('/')[1]!, '.ts')
const layerOf = (path: string) => layers.findIndex((rooms) => rooms.includes(roomOf(path)))

const internalImports = source.flatMap((file) =>
  importsOf(file)
    .filter(({ target }) => target.startsWith('src/'))
    .map((entry) => ({ from: file.path, ...entry })),
)

/**
 * These files may import types of higher layers, but no values: the schema lists the tables of all features, and the
 * contract and the services declare what app.ts passes to operations.
 */
const seams = ['src/store/schema.ts', 'src/api/contract.ts', 'src/api/services.ts']
const mayImportUpward = ({ from, isTypeOnly }: { from: string; isTypeOnly: boolean }) =>
  seams.includes(from) && isTypeOnly

test('every folder and every file at the root of src belongs to a layer', () => {
  assert.deepEqual([...new Set(source.filter(({ path }) => layerOf(path) < 0).map(({ path }) => roomOf(path)))], [])
})

test('files import only from lower layers', () => {
  const wrong = internalImports.filter(
    (entry) =>
      roomOf(entry.from) !== roomOf(entry.target) &&
      layerOf(entry.target) >= layerOf(entry.from) &&
      !mayImportUpward(entry),
  )
  assert.deepEqual(
    wrong.map(({ from, target }) => `${from} imports ${target}`),
    [],
  )
})

test('only destinations know the kinds of storages; all other code knows their interface', () => {
  const kinds = ['src/lib/s3/', 'src/lib/files/', 'src/lib/sftp/']
  const owners = [...kinds, 'src/backups/destinations/']
  assert.deepEqual(
    internalImports
      .filter(({ target }) => kinds.some((kind) => target.startsWith(kind)))
      .filter(({ from }) => !owners.some((owner) => from.startsWith(owner)))
      .map(({ from, target }) => `${from} imports ${target}`),
    [],
  )
})

test('imports have no cycles', () => {
  const targets = Map.groupBy(
    internalImports.filter(({ isTypeOnly }) => !isTypeOnly),
    ({ from }) => from,
  )
  const finished = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, above: string[]) => {
    if (above.includes(path)) return void cycles.push([...above.slice(above.indexOf(path)), path].join(' -> '))
    if (finished.has(path)) return
    for (const { target } of targets.get(path) ?? []) visit(target, [...above, path])
    finished.add(path)
  }
  for (const path of targets.keys()) visit(path, [])
  assert.deepEqual(cycles, [])
})

test('a folder has at most 15 source files; operations and migrations may have more', () => {
  const folders = Map.groupBy([...source, ...programs, ...consoleFiles], ({ path }) => posix.dirname(path))
  const large = [...folders].filter(([folder, files]) => files.length > 15 && !/operations|migrations/.test(folder))
  assert.deepEqual(
    large.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  )
})

/** The folders that may import a package. */
const importers: Record<string, string[]> = {
  fastify: ['http'],
  'node:sqlite': ['store', 'installation'],
  '@node-rs/argon2': ['lib'],
  otpauth: ['lib'],
  qr: ['lib'],
  '@aws-sdk/client-s3': ['lib'],
  ssh2: ['lib'],
  croner: ['lib'],
  '@node-rs/bcrypt': ['lib'],
  re2js: ['routing'],
  'age-encryption': ['lib'],
  '@scure/base': ['lib'],
}

const packageOf = (target: string) =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')

test('only the listed folders import these packages', () => {
  const wrong = source.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => {
        const rooms = importers[packageOf(target)]
        return rooms !== undefined && !rooms.includes(roomOf(file.path))
      })
      .map(({ target }) => `${file.path} imports ${target}`),
  )
  assert.deepEqual(wrong, [])
})

/** The packages of the console. No other code imports them. */
const consolePackages = ['preact', '@preact/signals', 'wouter-preact']
/** Packages that the server uses, too. */
const sharedPackages = ['croner']

test('the console imports its packages, itself, the client and shared code, and nothing else', () => {
  const wrong = consoleFiles.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => !/^(?:console|client|shared)\//.test(target))
      .filter(({ target }) => ![...consolePackages, ...sharedPackages].includes(packageOf(target)))
      .filter(({ target }) => !(file.path.endsWith('.test.ts') && /^node:(?:test|assert\/strict)$/.test(target)))
      .map(({ target }) => `${file.path} imports ${target}`),
  )
  assert.deepEqual(wrong, [])
})

test('the client and shared code import only their own folder', () => {
  const wrong = programs
    .filter(({ path }) => !path.startsWith('cli/'))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target.split('/')[0] !== file.path.split('/')[0])
        .map(({ target }) => `${file.path} imports ${target}`),
    )
  assert.deepEqual(wrong, [])
})

test('only the console imports its packages, and nothing imports the console', () => {
  const wrong = [...source, ...programs].flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => /^console\//.test(target) || consolePackages.includes(packageOf(target)))
      .map(({ target }) => `${file.path} imports ${target}`),
  )
  assert.deepEqual(wrong, [])
})

/** Files and folders of src that do no I/O. */
const withoutIO = [
  'kinds/',
  'engine/spec.ts',
  'engine/plan.ts',
  'engine/labels.ts',
  'greeting.ts',
  'routing/caddy/(?!admin)',
  'routing/specs.ts',
  'cluster/availability.ts',
  'gateways/(?:specs|own-names).ts',
  'databases/reconcile/(?:decide|specs|task-health).ts',
  'databases/watch/(?:drift|observation).ts',
  'databases/status(?:-message)?.ts',
  'deployments/reason(?:-message)?.ts',
  'dumps/run-reason(?:-message)?.ts',
  'conditions/(?:reason|reason-message|finding|changes|databases|backups|destinations|certificates|infrastructure).ts',
]

test('files without I/O import no module that does I/O', () => {
  const pure = new RegExp(`^src/(?:${withoutIO.join('|').replaceAll('.ts', '\\.ts')})`)
  const io = /^node:(fs|net|http|https|child_process|dns|sqlite|worker_threads|timers)|^(kysely|fastify)$/
  for (const part of withoutIO) {
    const pattern = new RegExp(`^src/${part.replaceAll('.ts', '\\.ts')}`)
    assert.ok(
      source.some(({ path }) => pattern.test(path)),
      `no file matches ${part}`,
    )
  }
  const wrong = source
    .filter(({ path }) => pure.test(path))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ target, isTypeOnly }) => !isTypeOnly && io.test(target))
        .map(({ target }) => `${file.path} imports ${target}`),
    )
  assert.deepEqual(wrong, [])
})
