/** The package berth-client, as its users get it: built, packed, installed, type-checked and run. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { startBerth } from '../fixtures/harness.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>

/** The folder of a user, with the installed package. */
const user = mkdtempSync(join(tmpdir(), 'berth-user-'))
after(() => rmSync(user, { recursive: true, force: true }))

/** Installs the packed package without a network. */
before(() => {
  const built = join(user, 'built')
  execFileSync(process.execPath, ['scripts/client-package.ts', built], { cwd: root })
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: user, encoding: 'utf8' })
  const [packed] = npm('pack', '--silent', built).split('\n')
  rmSync(built, { recursive: true })
  writeFileSync(join(user, 'package.json'), '{ "type": "module", "private": true }')
  npm('install', '--offline', '--no-audit', '--no-fund', '--silent', `./${packed}`)
})

const program = `
import { BerthError, createClient } from 'berth-client'
declare const process: { env: Record<string, string> }

const berth = createClient({ url: process.env.BERTH_URL!, token: () => process.env.BERTH_TOKEN! })
const { projectId } = await berth.project.create({ name: 'shop' }, { idempotencyKey: 'shop' })
const names: string[] = []
for await (const project of berth.project.all.each()) names.push(project.name)
const found: string | null = (await berth.call('project.one', { projectId })).description
const error = await berth.call('project.remove', { projectId: 'none' }).catch((error: unknown) => error)
if (!(error instanceof BerthError)) throw error
console.log(JSON.stringify([names, found, error.code, error.status, error.requestId !== null]))
`

/** Each line is an error. */
const wrong = `
import { createClient } from 'berth-client'
const berth = createClient({ url: 'http://127.0.0.1:3000' })
await berth.postgres.deploy({ projectId: '1' })
await berth.postgres.deploy({ postgresId: '1' }, { wait: '120' })
await berth.postgres.deply({ postgresId: '1' })
await berth.call('postgres.deploy', { projectId: '1' })
`

/**
 * Checks the types of programs, all at once.
 *
 * @param texts the programs by their file names
 * @returns the errors as `file:line`
 */
function errorsIn(texts: Record<string, string>, moduleResolution: string): string[] {
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(user, name), text)
  const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution
  const options = `--noEmit --strict --target es2022 --module ${module} --moduleResolution ${moduleResolution} --types`
  try {
    const args = [...Object.keys(texts), '--ignoreConfig', ...options.split(' '), '']
    execFileSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: user, encoding: 'utf8' })
    return []
  } catch (error) {
    const { stdout } = error as { stdout: string }
    return [...stdout.matchAll(/^([\w.-]+)\((\d+),/gm)].map(([, name, line]) => `${name}:${line}`)
  }
}

test('a user installs the package, checks a program against its types and runs it', async () => {
  const files = readdirSync(join(user, 'node_modules/berth-client'))
  assert.deepEqual(files.sort(), ['README.md', 'berth-client.js', 'package.json', 'types'])
  for (const resolution of ['nodenext', 'bundler']) {
    assert.deepEqual(
      errorsIn({ 'program.ts': program, 'wrong.ts': wrong }, resolution),
      [4, 5, 6, 7].map((line) => `wrong.ts:${line}`),
    )
  }
  await using berth = await startBerth()
  const env = { PATH: process.env.PATH, BERTH_URL: await berth.listen(), BERTH_TOKEN: (await berth.admin()).token }
  const { stdout } = await promisify(execFile)(process.execPath, ['program.ts'], { cwd: user, env })
  assert.deepEqual(JSON.parse(stdout), [['shop'], null, 'NOT_FOUND', 404, true])
})

test('an uncaught error shows its class and message and little code', async () => {
  writeFileSync(
    join(user, 'program.js'),
    "import { createClient } from 'berth-client'\nawait createClient({ url: 'http://127.0.0.1:1', retries: 0 }).project.all()\n",
  )
  const failed = promisify(execFile)(process.execPath, ['program.js'], { cwd: user })
  const { stderr } = await failed.then(
    () => assert.fail('the call succeeded'),
    (error: { stderr: string }) => error,
  )
  assert.match(stderr, /^BerthError: /m)
  assert.ok(stderr.length < 3000, stderr)
})

test('the client takes less than 5 kB of a page', async () => {
  const path = join(user, 'node_modules/berth-client/berth-client.js')
  const { outputFiles } = await build({ entryPoints: [path], minify: true, format: 'esm', write: false })
  const { length } = gzipSync(outputFiles[0]!.contents)
  assert.ok(length < 5000, `${length} bytes`)
})

/** What the examples of the guide take for granted. Some of them make the client themselves. */
function beginOf(example: string): string {
  const client = "const berth = createClient({ url: '/' })\n"
  return [
    example.includes('createClient }') ? '' : "import { createClient } from 'berth-client'\n",
    example.includes('const berth ') ? '' : client,
    'declare const process: { env: Record<string, string | undefined> }\n',
    'declare const postgresId: string\n',
    'declare function readEverythingAgain(): Promise<void>\n',
    'declare function prompt(question: string): string | null\n',
  ].join('')
}

test('the examples of the guide fit the types', () => {
  const guide = readFileSync(join(root, 'client/README.md'), 'utf8')
  const examples = guide.split('```ts\n').slice(1)
  assert.ok(examples.length > 6)
  const programs = examples.map((part, at) => {
    const [example] = part.split('```') as [string]
    return [`example-${at}.ts`, `${beginOf(example)}${example}\nexport {}\n`] as const
  })
  assert.deepEqual(errorsIn(Object.fromEntries(programs), 'nodenext'), [])
})

test("the package has Berth's version and licence, and no dependencies", () => {
  const [own, berth] = [readJson('client/package.json'), readJson('package.json')]
  assert.deepEqual([own.version, own.license, own.dependencies], [berth.version, berth.license, undefined])
})
