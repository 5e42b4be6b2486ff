/** Every command explains itself, and its examples can be typed as they stand there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { outputOn } from '../../cli/terminal/output.ts'
import { programOf } from '../../cli/program.ts'
import { sessionOn } from '../../cli/connection/session.ts'
import { startCommandLine } from './cli-fixture.ts'

const session = sessionOn({}, outputOn(process, {}), new AbortController().signal)

/** A new program whose commands do nothing. */
function program(): Command {
  const all = programOf(session, process)
  for (const each of commandsOf(all)) {
    each.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    if (each.commands.length === 0) each.action(() => undefined)
  }
  return all
}

const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)]
const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim()

const paths = commandsOf(program())
  .map(pathOf)
  .filter((path) => !path.startsWith('__'))

/** The words of a command as a shell splits them, without what comes before and after the program. */
function wordsOf(example: string): string[] {
  const rest = example.slice(/(?:^|[ (])berth\b/.exec(example)!.index).replace(/^[ (]?berth/, '')
  const [words] = /^(?: +(?:'[^']*'|[^ '"|<>()]+))*/.exec(rest)!
  return [...words.matchAll(/'([^']*)'|[^ ]+/g)].map(([plain, quoted]) => quoted ?? plain)
}

/** Checks that the program accepts the words. */
async function accept(words: string[], about: string): Promise<void> {
  await program()
    .parseAsync(words, { from: 'user' })
    .catch((error: { code: string; message: string }) => {
      assert.match(error.code, /^commander\.help/, `${about}: ${error.message}`)
    })
}

test('every command has a description and examples that the program accepts', async () => {
  await using cli = await startCommandLine()
  assert.ok(paths.length > 70)
  for (const path of paths) {
    const help = await cli.ok(...path.split(' ').filter(Boolean), '--help')
    const examples = help.slice(help.indexOf('\nExamples:\n')).split('\n').slice(2).filter(Boolean)
    assert.ok(help.includes('\nExamples:\n') && examples.length > 0, `${path} has no example`)
    for (const example of examples.filter((each) => each.includes('berth'))) {
      await accept(wordsOf(example), `berth ${path}: ${example}`)
    }
    const isShown = examples.some((example) => wordsOf(example).join(' ').startsWith(path))
    assert.ok(isShown, `no example of berth ${path} shows the command`)
  }
  for (const each of commandsOf(program())) assert.notEqual(each.description(), '', pathOf(each))
})

test('--version prints the version and needs no server', async () => {
  await using cli = await startCommandLine()
  const { status, stdout } = await cli.command(['--version'], { BERTH_URL: 'http://127.0.0.1:9' })
  assert.deepEqual([status, /^\d+\.\d+\.\d+\n$/.test(stdout)], [0, true])
})
