/** What can be asked on the machine itself: words -> a command, its outcome -> text and exit status. Knows no store. */
import { type Config, parseConfig } from '../config.ts'
import { resetPassword, resetSecondFactor } from './admin.ts'
import { rotate } from './key.ts'

/** Gives what is printed. Throws, in a sentence for the operator, where it could not be done. */
type Command = (config: Config, email: string) => Promise<string>

interface Declared { words: string; takesEmail: boolean; run: Command }

const commands: readonly Declared[] = [
  { words: 'admin reset-password', takesEmail: true, run: resetPassword },
  { words: 'admin reset-2fa', takesEmail: true, run: resetSecondFactor },
  { words: 'key rotate', takesEmail: false, run: rotate },
]

const usages: Record<string, string> = {
  admin: `For an administrator who cannot sign in. Berth may be running or not.

  ./berth admin reset-password EMAIL    give the account a new random password, and end its sessions
  ./berth admin reset-2fa EMAIL         turn its second factor off, with its recovery codes

BERTH_DATA and BERTH_MASTER_KEY have to be what Berth runs with. Both are noted in the audit log.
`,
  key: `The master key, which seals every secret in the store. Berth has to be stopped.

  ./berth key rotate    make a new one, and seal everything anew with it

A key in <data>/master.key is replaced there. Where the key is the setting BERTH_MASTER_KEY, set BERTH_NEW_MASTER_KEY to
the new one (openssl rand -base64 32); it is the value of BERTH_MASTER_KEY from then on.
`,
}

/** Gives the exit status: 1 where it could not be done, 2 where it was asked wrongly. */
export async function runCommand(words: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [group = '', verb = '', ...rest] = words
  const usage = usages[group] ?? Object.values(usages).join('\n')
  if (['help', '-h', '--help'].includes(verb)) return say(usage)
  const command = commands.find((it) => it.words === `${group} ${verb}`)
  if (command === undefined) {
    return fail(verb === '' ? usage : `There is no command '${group} ${verb}'.\n\n${usage}`, 2)
  }
  if (rest.length !== (command.takesEmail ? 1 : 0)) {
    const wanted = command.takesEmail ? 'takes the e-mail of an account' : 'takes no arguments'
    return fail(`'${command.words}' ${wanted}.\n\n${usage}`, 2)
  }
  try {
    return say(await command.run(parseConfig(env), rest[0] ?? ''))
  } catch (error) {
    return fail(`${(error as Error).message}\n`, 1)
  }
}

function say(text: string) {
  process.stdout.write(framed(text))
  return 0
}

function fail(text: string, status: 1 | 2) {
  process.stderr.write(framed(text))
  return status
}

const framed = (text: string) => `\n${text.trimEnd().replace(/^(?=.)/gm, '  ')}\n\n`
