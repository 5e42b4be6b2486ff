/** The commands in README.md and in docs/: the program has them, with their arguments and options. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { type Description, operationsIn } from '../cli/description.ts'
import { fieldsIn } from '../cli/fields.ts'
import { outputOn } from '../cli/terminal/output.ts'
import { programOf } from '../cli/program.ts'
import { sessionOn } from '../cli/connection/session.ts'
import { filesOf } from './source-files.ts'

const root = join(import.meta.dirname, '..')
const pages = filesOf('{README,CONTRIBUTING,SECURITY,docs/*}.md')
const operations = operationsIn(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as Description)

/** The commands that act on this machine or on the source tree. The script `berth` carries them out. */
const scriptCommands = [...readFileSync(join(root, 'berth'), 'utf8').matchAll(/^ {2}([a-z0-9 |-]+)\) /gm)].flatMap(
  ([, names]) => names!.split(' | '),
)

interface Example {
  /** `page: command`, for messages. */
  place: string
  words: string[]
}

/** The words after `berth` as a shell splits them, up to the end of the command. */
function wordsAfter(text: string): string[] {
  const [words] = /^(?: +(?:'[^']*'|"[^"]*"|[^\s'"|<>()#;&])+)*/.exec(text)!
  return [...words.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/(['"])(.*?)\1/gs, '$2'))
}

/** @param texts parts of the page  @param start what comes before the words of a command */
const examplesIn = (path: string, texts: string[], start: RegExp): Example[] =>
  texts.flatMap((text) =>
    [...text.matchAll(start)].map((match) => {
      const words = wordsAfter(text.slice(match.index + match[0].length))
      return { place: `${path}: berth ${words.join(' ')}`, words }
    }),
  )

const codeBlock = /^```(\w*)\n(.*?)^```$/gms

const blockExamples = pages.flatMap(({ path, text }) => {
  const blocks = [...text.matchAll(codeBlock)].filter(([, language]) => language === 'sh')
  const commands = blocks.map(([, , block]) => block!.replace(/\\\n/g, ' ').replace(/^ *#.*$/gm, ''))
  return examplesIn(path, commands, /(?:^ *|\$\(|[|;&] *)(?:[A-Z_]+=\S+ )*(?:\.\/)?berth(?= )/gm)
})

const inlineExamples = pages.flatMap(({ path, text }) => {
  const spans = [...text.replace(codeBlock, '').matchAll(/`([^`]+)`/g)].map(([, span]) => span!.replaceAll('\n', ' '))
  return examplesIn(path, spans, /^(?:\.\/)?berth(?= )/g)
})

/** A new program whose commands only check their words. */
function program(isWhole: boolean): Command {
  const { signal } = new AbortController()
  const all = programOf(sessionOn({}, outputOn(process, {}), signal), process)
  for (const each of commandsOf(all)) {
    each.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    if (each.commands.length === 0) each.action(each.name() === 'api' ? checkOperation : () => undefined)
    if (isWhole) continue
    for (const option of each.options) option.makeOptionMandatory(false)
    for (const argument of each.registeredArguments) argument.argOptional()
  }
  return all
}

const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)]

/** @param name an operation, or a placeholder in capital letters; undefined: `berth api` alone */
function checkOperation(name: string | undefined, words: string[]): void {
  if (name === undefined || /^[A-Z]/.test(name)) return
  const operation = operations.find((each) => each.name === name)
  assert.ok(operation !== undefined, `there is no operation ${name}`)
  if (!words.includes('--help')) fieldsIn(words, operation)
}

/** Of `berth state`, the script carries out only the commands that act on the machine. */
const isOfScript = ([name, verb]: string[]) =>
  scriptCommands.includes(name!) && (name !== 'state' || ['backup', 'restore', 'code', 'help'].includes(verb!))

/** @param isWhole whether an example has all arguments. In a sentence, `berth backup now` may stand alone. */
async function faultsOf(examples: Example[], isWhole: boolean): Promise<string[]> {
  const faults: string[] = []
  for (const { place, words } of examples) {
    if (isOfScript(words)) continue
    await program(isWhole)
      .parseAsync(words, { from: 'user' })
      .catch((error: Error & { code?: string }) => {
        if (!error.code?.startsWith('commander.help')) faults.push(`${place}: ${error.message}`)
      })
  }
  return faults
}

test('every command in a block of code can be typed as it stands there', async () => {
  assert.ok(
    blockExamples.length > 40 && scriptCommands.includes('up'),
    'the commands are not where they are looked for',
  )
  assert.deepEqual(await faultsOf(blockExamples, true), [])
})

test('every command in a sentence names a command and options that exist', async () => {
  assert.ok(inlineExamples.length > 40, 'the commands are not where they are looked for')
  assert.deepEqual(await faultsOf(inlineExamples, false), [])
})
