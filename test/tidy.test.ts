/** Rules about the code itself, so that no reviewer has to say them twice. They read the text, not the meaning. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../src/kinds/index.ts'
import { operations } from '../src/operations.ts'
import {
  allFiles as all,
  bench,
  consoleFiles,
  filesOf,
  importsOf,
  linesMatching as placesOf,
  programs,
  type SourceFile as File,
  source,
  tests,
} from './source-files.ts'

assert.ok(source.length > 200 && tests.length > 200 && bench.length > 10, 'the files are not where they are looked for')

/** Programs, configuration and the like: not strings in TypeScript, so that editors and linters know their language. */
const otherLanguages = filesOf('src/**/*.{sql,sh,js,cfg,conf,css}')
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
      source.filter(({ path }) =>
        /^src\/(?!api\/|http\/|lib\/|engine\/|routing\/caddy\/|backups\/runs\/signal)/.test(path),
      ),
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

test('shared/shell-word.ts alone quotes for a shell, and the console quotes every name in a command', () => {
  const others = all.filter(({ path }) => !path.startsWith('shared/') && path !== 'test/tidy.test.ts')
  assert.deepEqual(placesOf(others, /replaceAll\("'", .*\\''/), [])
  assert.deepEqual(placesOf(consoleFiles, /(?<!shellLine)`(?:\.\/)?(?:berth|aws) [^`]*\$\{/), [])
})

test('requests go by the agents of lib/egress, but for those to the engine and to the proxy', () => {
  const own = ['src/lib/net/egress.ts', 'src/engine/docker/transport/host.ts', 'src/routing/caddy/admin.ts']
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
  const missing = all.filter(
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

test('lines have at most 130 columns, files at most 300 lines', () => {
  const wide = all.flatMap(({ path, lines }) =>
    lines.flatMap((line, i) => ([...line].length > maxColumns ? [`${path}:${i + 1}`] : [])),
  )
  assert.deepEqual(wide, [])
  const styles = filesOf('console/**/*.css')
  const long = [...all, ...styles].filter(({ lines }) => lines.length > 301).map(({ path }) => path)
  assert.deepEqual(long, [])
})

test('functions have at most 60 lines', () => {
  const long = [...source, ...programs, ...consoleFiles].flatMap((file) =>
    functionsOf(file)
      .filter(({ length }) => length > 60)
      .map(({ name }) => `${file.path}: ${name}`),
  )
  assert.deepEqual(long, [])
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
      .filter(({ target }) => /^(src|test|bench|console)\//.test(target) && !/\.(tsx?|json|css)$/.test(target))
      .map(({ target }) => `${file.path} imports ${target}`),
  )
  assert.deepEqual(wrong, [])
  // Screens are loaded by `import()`, each from a file of its own.
  const named = [...source, ...consoleFiles.filter(({ path }) => !path.startsWith('console/screens/'))]
  assert.deepEqual(placesOf(named, /^export default\b|^export \* /), [])
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
  const empty = /\/(?:utils?|helpers?|common|types|misc|manager|core|base)\.tsx?$/
  assert.deepEqual(
    all.filter(({ path }) => empty.test(path)).map(({ path }) => path),
    [],
  )
})

/** Private words of earlier versions. The field has a name for each of these things. */
const refusedNames = new RegExp(
  [
    '(?:most|longest)[A-Z]\\w*',
    '\\w+AtMost',
    '(?:remembering|tiny)[A-Z]\\w*',
    'sightings?|Sighted|turnstile|tally|errands?|Errands?|elsewhere|Elsewhere|mortem|postMortem|PostMortem',
    'strays|takeBack|spokenSecrets|oneOrAll|goOn|turnBack|refuseToDie|hindered',
    'World|world|Hands|site|Site|fleet(?!:)|Fleet|Making|verdict|Verdict|looks|Looks|look|silence|bounded',
    'told|sight|advance|settle|away|held|hold|holding|home|Home|make|lapsed|beside|Beside|readable|Place|seen|Seen|Once',
    // As functions only: an API field is called `note`, and `words` are what a shell command consists of.
    '(?:note|words|tries)(?=\\()|tries(?=[,;:)=.])',
  ]
    .map((names) => `(?<![\\w$.'"/-])(?:${names})(?![\\w$'"/-])`)
    .join('|'),
)

/** Code without comments, strings, the text of templates and that between elements, with its lines. */
function codeOnly(file: File): File {
  const blank = (text: string) => text.replace(/[^\n]/g, ' ')
  const isMarkup = file.path.endsWith('.tsx')
  const text = (isMarkup ? withoutElementText(file.text, blank) : file.text)
    .replace(/\/\*[\s\S]*?\*\/|(?<![:\\'"`])\/\/[^\n]*/g, blank)
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, blank)
    .replace(/`(?:\\[\s\S]|[^`\\])*`/g, blank)
    .replace(/(?<=[(,=:[!&|?{};\n] *)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//g, blank)
  return { ...file, text, lines: text.split('\n') }
}

/** Text between elements: after `>` or `}`, and before `<` or `{`. */
const withoutElementText = (text: string, blank: (text: string) => string) =>
  text.replace(/(?<=[^=]>)[^<>{};=]*(?=[<{])|(?<=\})[^<>{};=()]*(?=<)/g, blank)

test('names are the words of the field', () => {
  assert.deepEqual(placesOf(all.map(codeOnly), refusedNames), [])
})
