/** Rules about the code itself, so that no reviewer has to say them twice. They read the text, not the meaning. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { kinds } from '../src/kinds/index.ts'
import { operations } from '../src/operations/index.ts'
import type { Schema } from '../src/store/schema.ts'

interface File {
  path: string
  text: string
  lines: string[]
}

const root = posix.join(import.meta.dirname, '..')
const read = (pattern: string): File[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((path) => {
      const text = readFileSync(posix.join(root, path), 'utf8')
      return { path, text, lines: text.split('\n') }
    })

const source = read('src/**/*.ts').filter(({ path }) => !path.endsWith('.test.ts'))
const tests = [...read('src/**/*.test.ts'), ...read('test/**/*.ts')]
const bench = read('bench/**/*.ts')
const all = [...source, ...tests, ...bench]
assert.ok(source.length > 200 && tests.length > 200 && bench.length > 10, 'the files are not where they are looked for')

/** Which folders of src a folder may import, beside itself. '' is the vocabulary at the root, see `vocabulary`. */
const allowed: Record<string, string[]> = {
  lib: [],
  kinds: ['lib', 'engine'],
  // `databases` for its columns alone: schema.ts needs their types, and targets.ts is to move there.
  store: ['lib', 'engine', 'databases', ''],
  engine: ['lib'],
  proxy: ['lib'],
  deployments: ['lib', 'store', 'engine'],
  volumes: ['lib', 'store', 'engine', 'deployments'],
  databases: ['lib', 'engine', 'kinds', 'store', 'deployments', 'volumes', 'operations', ''],
  operations: ['lib', 'kinds', 'store', 'engine', 'proxy', 'deployments', 'volumes', 'databases', 'backup', ''],
  work: ['lib', 'kinds', 'store', 'engine', 'proxy', 'deployments', 'volumes', 'databases', ''],
  backup: ['lib', 'kinds', 'store', 'engine', 'deployments', 'volumes', 'databases', 'work', ''],
  http: ['lib', ''],
  machine: ['lib', 'store', 'deployments', 'volumes', 'databases', 'backup', ''],
}

/** The files at the root of src from the lowest up: each may import those before it, and the folders beside it. */
const roots: [file: string, folders: string[]][] = [
  ['errors', []],
  ['access', []],
  ['config', ['lib']],
  ['contract', ['lib', 'store']],
  ['looks', ['engine']],
  ['audit', ['store']],
  ['readiness', ['store', 'engine']],
  ['services', ['work']],
  ['authenticate', ['store', 'lib']],
  ['invoke', ['store', 'lib']],
  ['metrics', ['lib', 'store', 'backup']],
  ['app', ['lib', 'store', 'engine', 'deployments', 'work', 'backup', 'kinds']],
  ['greeting', []],
  ['start', ['lib', 'engine', 'http', 'operations']],
  ['main', []],
  ['machine', ['machine']],
]

/** Of the root, what each folder may use; types alone come from app. */
const vocabulary: Record<string, string[]> = {
  store: ['errors', 'access', 'config'],
  operations: ['errors', 'access', 'config', 'contract'],
  databases: ['errors', 'access', 'contract'],
  work: ['errors', 'config', 'contract'],
  backup: ['config'],
  machine: ['config'],
  http: ['errors', 'access', 'contract', 'invoke', 'authenticate', 'services'],
}

const onlyImporter: Record<string, string> = {
  fastify: 'http',
  'node:sqlite': 'store',
  kysely: 'store',
  '@node-rs/argon2': 'lib',
  otpauth: 'lib',
  qr: 'lib',
  '@aws-sdk/client-s3': 'lib',
  croner: 'lib',
  '@node-rs/bcrypt': 'lib',
  re2js: 'proxy',
  'age-encryption': 'lib',
  '@scure/base': 'lib',
}

const folderOf = (path: string) => (path.split('/').length > 2 ? path.split('/')[1]! : '')
const stem = (path: string) => posix.basename(path, '.ts')

const importPattern = /^(?:import|export) (type )?[^'"`;]*?from '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm

/** Each import of a file: where it leads, and whether only types come from there. */
function importsOf({ path, text }: File) {
  const found = text.matchAll(importPattern)
  return [...found].map(([, type, from, dynamic, bare]) => {
    const target = (from ?? dynamic ?? bare)!
    return {
      target: target.startsWith('.') ? posix.join(posix.dirname(path), target) : target,
      isType: type !== undefined,
    }
  })
}

test('imports go down only', () => {
  const wrong = source.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => target.startsWith('src/'))
      .filter(({ target, isType }) => !mayImport(file.path, target, isType))
      .map(({ target }) => `${file.path} imports ${target}`),
  )
  assert.deepEqual(wrong, [])
})

function mayImport(path: string, target: string, isType: boolean): boolean {
  const [from, to] = [folderOf(path), folderOf(target)]
  if (from === '') return mayRootImport(stem(path), target, isType)
  // The schema knows the tables of all features and what their columns hold, as types.
  const isSchema = /^src\/store\/(?:\w+-)?schema\.ts$/.test(path)
  if (isSchema && isType && ['table', 'reason', 'status'].includes(stem(target))) return true
  if (to !== '') return to === from || allowed[from]!.includes(to)
  return allowed[from]!.includes('') && vocabulary[from]!.includes(stem(target)) && (stem(target) !== 'app' || isType)
}

/** Types of app are what authenticate and invoke ask for: what is composed is known by its shape alone. */
function mayRootImport(name: string, target: string, isType: boolean): boolean {
  const order = roots.map(([root]) => root)
  const [from, to] = [order.indexOf(name), folderOf(target)]
  assert.notEqual(from, -1, `src/${name}.ts is not in the order of test/tidy.test.ts`)
  if (to === '') return order.indexOf(stem(target)) < from || (isType && stem(target) === 'app')
  return roots[from]![1].includes(to) || isType
}

/** The parts of a feature that may write its tables: files or folders, as paths that begin so. */
const accounts = [
  'src/store/accounts.ts',
  'src/store/tokens.ts',
  'src/store/invitations.ts',
  'src/store/recovery-codes.ts',
]
const backupRuns = ['src/backup/', 'src/operations/backup', 'src/store/backup-', 'src/store/database-locks.ts']
const databaseWork = ['alarms', 'home', 'image-resolution', 'moving', 'repair', 'settle', 'sightings']
const databases = [
  'src/databases/',
  'src/operations/database',
  'src/operations/volume.ts',
  ...databaseWork.map((name) => `src/work/${name}.ts`),
]
const registries = [
  'src/operations/registry',
  'src/store/registries.ts',
  'src/work/registry-server.ts',
  'src/work/collections.ts',
  'src/work/credentials.ts',
]

/** Who may write each table. */
const owners: Record<keyof Schema, string[]> = {
  meta: ['src/store/meta.ts'],
  account: accounts,
  token: accounts,
  invitation: accounts,
  recoveryCode: accounts,
  attempt: ['src/store/attempts.ts'],
  knownNetwork: ['src/store/known-networks.ts'],
  audit: ['src/store/audit.ts'],
  idempotency: ['src/store/idempotency.ts'],
  project: ['src/operations/project.ts'],
  database: databases,
  deployment: ['src/deployments/'],
  volume: ['src/volumes/'],
  move: ['src/store/moves.ts'],
  node: ['src/store/nodes.ts'],
  destination: ['src/operations/destination.ts'],
  backup: ['src/store/backups.ts'],
  backupRun: backupRuns,
  backupIdentity: ['src/store/backup-identity.ts'],
  lapsed: ['src/backup/lapsed.ts'],
  application: ['src/work/applications.ts'],
  redirect: ['src/operations/redirects.ts'],
  security: ['src/operations/security.ts'],
  port: ['src/operations/port.ts', 'src/work/ports.ts'],
  certificate: ['src/operations/certificates.ts', 'src/work/issuance.ts'],
  issuance: ['src/work/issuance.ts'],
  registry: registries,
  registryServer: registries,
  changedCredentials: registries,
}
test("no feature writes another's table", () => {
  const write = /\b(?:insertInto|updateTable|deleteFrom|preparedInsert)\('(\w+)'/g
  const wrong = source.flatMap(({ path, text }) =>
    [...text.matchAll(write)]
      .map(([, table]) => table as keyof Schema)
      .filter((table) => !owners[table].some((owner) => path.startsWith(owner)))
      .map((table) => `${path} writes ${table}`),
  )
  assert.deepEqual(wrong, [])
})

test('packages with one importing folder have no other', () => {
  const wrong = source.flatMap((file) =>
    importsOf(file)
      .filter(({ target, isType }) => {
        const folder =
          onlyImporter[
            target
              .split('/')
              .slice(0, target.startsWith('@') ? 2 : 1)
              .join('/')
          ]
        return folder !== undefined && folder !== folderOf(file.path) && !(isType && target === 'kysely')
      })
      .map(({ target }) => `${file.path} imports ${target}`),
  )
  assert.deepEqual(wrong, [])
})

test('parts without I/O import nothing that could do any', () => {
  const pure = new RegExp(
    '^src/(kinds/|databases/status|deployments/reason|engine/(spec|plan|labels)\\.ts|greeting\\.ts|proxy/(?!admin)' +
      '|work/(away|decide|verdict|observe|specs|gateway-specs|routing-specs)\\.ts)',
  )
  const io = /^node:(fs|net|http|https|child_process|dns|sqlite|worker_threads|timers)|^(kysely|fastify)$/
  const wrong = source
    .filter(({ path }) => pure.test(path))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ target, isType }) => !isType && io.test(target))
        .map(({ target }) => `${file.path} imports ${target}`),
    )
  assert.deepEqual(wrong, [])
})

/** Programs, configuration and the like: not strings in TypeScript, so that editors and linters know their language. */
const otherLanguages = read('src/**/*.{sql,sh,js,cfg,conf,css}')
assert.ok(otherLanguages.length > 40)

test('every file of another language says first what it is for, and is read by a literal path', () => {
  const untold = otherLanguages.filter(
    ({ path, text }) => !/^(?:#|--|\/\/|\/\*) ?\S/.test(text) && !path.endsWith('.css'),
  )
  assert.deepEqual(
    untold.map(({ path }) => path),
    [],
  )
  const called = source.flatMap(({ text }) =>
    [...text.matchAll(/\b(?:textFile|textTemplate|sqlFile)\(\s*'([^']+)'/g)].map(([, path]) => `src/${path}`),
  )
  assert.deepEqual([...new Set(called)].sort(), otherLanguages.map(({ path }) => path).sort())
})

test('HTTP names no operation, and no operation names HTTP', () => {
  const groups = [...new Set(operations.map(({ name }) => name.split('.')[0]))].join('|')
  const named = new RegExp(`['"\`/](?:${groups})\\.[a-z]\\w+`)
  assert.deepEqual(
    placesOf(
      source.filter(({ path }) => path.startsWith('src/http/')),
      named,
    ),
    [],
  )
  const http = /\b(?:request|reply)\.(?:headers|header|code|raw)\b|from 'node:https?'/
  assert.deepEqual(
    placesOf(
      source.filter(({ path }) => /^src\/(databases|operations|work|store|kinds)\//.test(path)),
      http,
    ),
    [],
  )
})

test("no comparison with a kind's name outside kinds/", () => {
  const names = kinds.map(({ name }) => name).join('|')
  const name = `'(?:${names})'`
  const compared = new RegExp(`[=!]==? *${name}|${name} *[=!]==?|case ${name}|(?:includes|startsWith)\\(${name}\\)`)
  assert.deepEqual(
    placesOf(
      source.filter(({ path }) => !path.startsWith('src/kinds/')),
      compared,
    ),
    [],
  )
})

test('no shell, no code from text', () => {
  const shell = /\bexecSync\(|\bexec\(`|shell: *true|\['(?:ba)?sh', '-c', *(?:`|[^\]]*\+)|\beval\(|new Function\(/
  assert.deepEqual(placesOf(source, shell), [])
})

test('requests go by the agents of lib/egress, but for those to the engine and to the proxy', () => {
  const own = ['src/lib/egress.ts', 'src/engine/docker-host.ts', 'src/proxy/admin.ts']
  const agents = /\bfetch\(|\bnew [\w.]*Agent\(|\bagent: (?:false|undefined)|\bWebSocket\(/
  assert.deepEqual(
    placesOf(
      source.filter(({ path }) => !own.includes(path)),
      agents,
    ),
    [],
  )
})

test('every file says first what it is for', () => {
  const missing = [...source, ...tests, ...bench].filter(
    ({ text, path }) => !path.endsWith('.test.ts') && !/^\/\*\*? ?\S|^\/\*\*\n \* \S/.test(text),
  )
  assert.deepEqual(
    missing.map(({ path }) => path),
    [],
  )
  const long = all.filter(({ lines }) => lines[0] === '/**' && lines.indexOf(' */') > 14).map(({ path }) => path)
  assert.deepEqual(long, [], 'too much of a header: say it where it is done')
})

/** Biome breaks lines. What it cannot break (strings, regular expressions) has at most so many columns. */
const maxColumns = 130
/** These grew over a limit when the code was formatted anew. Take an entry away when you split its subject. */
const tooLong = [
  'src/engine/docker.test.ts',
  'src/engine/memory.ts',
  'src/operations/backup-restore.ts',
  'src/work/moving.ts',
  'test/e2e/caddy.ts',
  'test/e2e/mysql-kinds.test.ts',
  'test/e2e/redis-kind.test.ts',
  'test/engine/suite-jobs.ts',
  'test/engine/suite.ts',
  'test/operations/cluster.test.ts',
  'test/operations/database-images.test.ts',
  'test/operations/move.test.ts',
  'test/operations/own-registry.test.ts',
  'test/operations/volume.test.ts',
  'test/tidy.test.ts',
  'src/engine/docker-errands.ts: dockerErrands',
  'src/engine/docker.ts: dockerEngine',
  'src/engine/memory.ts: memoryEngine',
  'src/lib/s3-line.ts: openLine',
  'src/work/collections.ts: collectionsIn',
]

test('lines have at most 130 columns, files at most 300 lines', () => {
  const wide = all.flatMap(({ path, lines }) =>
    lines.flatMap((line, i) => ([...line].length > maxColumns ? [`${path}:${i + 1}`] : [])),
  )
  assert.deepEqual(wide, [])
  const long = all.filter(({ lines }) => lines.length > 301).map(({ path }) => path)
  assert.deepEqual(
    long.filter((path) => !tooLong.includes(path)),
    [],
  )
})

test('functions have at most 60 lines', () => {
  const long = source.flatMap((file) =>
    functionsOf(file)
      .filter(({ length }) => length > 60)
      .map(({ name }) => `${file.path}: ${name}`),
  )
  assert.deepEqual(
    long.filter((name) => !tooLong.includes(name)),
    [],
  )
})

/** From a line that begins a function to the line that closes it with the same indent. */
function functionsOf({ lines }: File): { name: string; length: number }[] {
  const named = /^( *)(?:export )?(?:async )?function\*? (\w+)/
  const arrow = /^( *)(?:export )?const (\w+) = (?:async )?(?:<.*>)?\(.*(?:=>|\() *\{?$/
  return lines.flatMap((line, start) => {
    const [, indent, name] = named.exec(line) ?? arrow.exec(line) ?? []
    if (name === undefined) return []
    const end = lines.findIndex(
      (it, i) => i > start && new RegExp(`^${indent}[})]`).test(it) && !/^\s*\)[^{]*\{$/.test(it),
    )
    return [{ name, length: end - start + 1 }]
  })
}

test('nothing is left undone, switched off or untyped', () => {
  // Assembled, so that this file does not find itself.
  const undone = new RegExp(`\\b(?:${'TO' + 'DO'}|${'FIX' + 'ME'}|${'X' + 'XX'})\\b|@ts${'-'}[a-z]|eslint${'-'}dis`)
  assert.deepEqual(placesOf(all, undone), [])
  assert.deepEqual(placesOf(source, /(?::|\bas|<|,|\|) *any\b(?! *[a-z])|\bany\[\]/), [])
  const words = `(?:${'sk' + 'ip'}|only|to${'do'})`
  const off = new RegExp(`\\b(?:test|it|describe|t)\\.${words}\\b|[{,] *${words}:`)
  assert.deepEqual(placesOf(tests, off), [])
})

test('imports end in .ts, and exports have names', () => {
  const wrong = all.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => /^(src|test|bench)\//.test(target) && !/\.(ts|json)$/.test(target))
      .map(({ target }) => `${file.path} imports ${target}`),
  )
  assert.deepEqual(wrong, [])
  assert.deepEqual(placesOf(source, /^export default\b|^export \* /), [])
})

test('no module acts or keeps state when it is imported', () => {
  const acts = /^(?:await |[a-z][\w.]*\(|(?:export )?let |(?:if|for|while) \(|try \{)/
  const entries = ['src/main.ts', 'src/machine.ts']
  const modules = source.filter(({ path }) => !entries.includes(path)).map(withoutTemplates)
  assert.deepEqual(placesOf(modules, acts), [])
  const state = /^(?:export )?const \w+(?:: [^=]+)? = (?:new (?:Map|Set|WeakMap|WeakSet|Array)(?:<.*>)?\(\)|\[\]|\{\})/
  assert.deepEqual(placesOf(source, state), [])
})

/** Programs in other languages begin at the first column too. */
function withoutTemplates({ path, text }: File): File {
  const plain = text.replace(/`[^`]*`/g, (template) => template.replace(/[^\n]/g, ' '))
  return { path, text: plain, lines: plain.split('\n') }
}

test('names that say nothing are not names of files', () => {
  const empty = /\/(?:utils?|helpers?|common|types|misc|manager|core|base)\.ts$/
  assert.deepEqual(
    all.filter(({ path }) => empty.test(path)).map(({ path }) => path),
    [],
  )
})

function placesOf(files: File[], pattern: RegExp): string[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${line.trim().slice(0, 80)}`] : [])),
  )
}
