/** The commands on the machine: finds the command for the arguments, runs it, and prints its result. */
import { type Config, parseConfig } from '../../config.ts'
import { resetPassword, resetSecondFactor } from './admin.ts'
import { exportIdentity } from './backup-identity.ts'
import { rotate } from './key.ts'
import { backUp, putBack, restoreReplacing } from './state.ts'

/** Returns the text to print. Throws an error with a message for the operator. */
type Command = (config: Config, argument: string) => Promise<string>

interface CommandSpec {
  /** The arguments that name the command. */
  name: string
  /** The argument that follows the name; null if the command takes none. */
  argument: keyof typeof argumentHints | null
  flag?: string
  run: Command
}

const commands: readonly CommandSpec[] = [
  { name: 'admin reset-password', argument: 'email', run: resetPassword },
  { name: 'admin reset-2fa', argument: 'email', run: resetSecondFactor },
  { name: 'key rotate', argument: null, run: rotate },
  { name: 'key export-backup-identity', argument: 'fileOrNone', run: exportIdentity },
  { name: 'state backup', argument: 'file', run: backUp },
  { name: 'state restore', argument: 'file', run: putBack },
  { name: 'state restore', argument: 'file', flag: '--replace', run: restoreReplacing },
]

const argumentHints = {
  email: 'takes the e-mail of an account',
  file: 'takes the name of one file, or - for the standard stream',
  fileOrNone: 'takes the name of one file; without one it writes to standard output',
}

const usages: Record<string, string> = {
  admin: `For an administrator who cannot sign in. Berth may be running or not.

  ./berth admin reset-password EMAIL    give the account a new random password, and end its sessions
  ./berth admin reset-2fa EMAIL         turn its second factor off, with its recovery codes

BERTH_DATA and BERTH_MASTER_KEY have to be what Berth runs with. Both are noted in the audit log.
`,
  key: `The master key, which seals every secret in the store, and the age identity of backups, which is one of them.

  ./berth key rotate                           make a new master key, and seal everything anew with it; Berth has to
                                               be stopped
  ./berth key export-backup-identity [FILE]    write the identity that opens dumps for the recipient installation to
                                               a new file, or to standard output; Berth may be running or not

A master key in <data>/master.key is replaced there. Where it is the setting BERTH_MASTER_KEY, set BERTH_NEW_MASTER_KEY
to the new one (openssl rand -base64 32); it is the value of BERTH_MASTER_KEY from then on.

The identity is made at its first export and stays the same. Keep the file away from this machine and from the bucket.
It is a secret: age -d -i FILE opens every dump of that recipient. Each export is noted in the audit log.
`,
  state: `Berth's own state: accounts, projects, records with their secrets, runs of backups, the audit log.

  ./berth state backup FILE               copy it into a new file (- is standard output); Berth may be running or not
  ./berth state restore FILE              put it in place in a data folder without one (- is standard input)
  ./berth state restore FILE --replace    also where there is one, which is kept beside it

A backup is sealed with the master key, which is not in it. To restore, put that key in <data>/master.key or
BERTH_MASTER_KEY. No Berth may run on the folder then, nor on another one with the same state.
`,
}

/**
 * Runs the command that the arguments name.
 * @param args the arguments after `./berth`
 * @returns the exit status: 0 after success, 1 if the command failed, 2 if the arguments are wrong
 */
export async function runCommand(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [group = '', verb = '', ...rest] = args
  const usage = usages[group] ?? Object.values(usages).join('\n')
  if (['help', '-h', '--help'].includes(verb)) return print(usage)
  const candidates = commands.filter(({ name }) => name === `${group} ${verb}`)
  if (candidates.length === 0) {
    return fail(verb === '' ? usage : `There is no command '${group} ${verb}'.\n\n${usage}`, 2)
  }
  const operands = rest.filter((word) => !word.startsWith('--'))
  const command = candidates.find(({ flag }) => rest.filter((word) => word.startsWith('--')).join() === (flag ?? ''))
  const { name, argument } = command ?? candidates[0]!
  const target = operands[0] ?? (argument === 'fileOrNone' ? '-' : undefined)
  if (command === undefined || operands.length > 1 || (target === undefined) !== (argument === null)) {
    return fail(`'${name}' ${argument === null ? 'takes no arguments' : argumentHints[argument]}.\n\n${usage}`, 2)
  }
  try {
    const text = await command.run(parseConfig(env), target ?? '')
    // If the result itself goes to standard output, the text for the operator goes to standard error.
    return target === '-' ? printError(text, 0) : print(text)
  } catch (error) {
    return fail(`${(error as Error).message}\n`, 1)
  }
}

function print(text: string) {
  process.stdout.write(indented(text))
  return 0
}

const fail = (text: string, status: 1 | 2) => printError(text, status)

function printError(text: string, status: 0 | 1 | 2) {
  process.stderr.write(indented(text))
  return status
}

const indented = (text: string) => `\n${text.trimEnd().replace(/^(?=.)/gm, '  ')}\n\n`
