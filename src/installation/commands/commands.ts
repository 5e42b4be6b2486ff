/**
 * The commands that an operator runs on the machine of Berth (`berth GROUP VERB`). Selects the command that the
 * arguments name, runs it, and prints its result.
 */
import { type Config, parseConfig } from '../../config.ts'
import { gateMessage } from '../../gate/reason-message.ts'
import type { GateReason } from '../../gate/reason.ts'
import { resetPassword, resetSecondFactor } from './admin.ts'
import { exportIdentity } from './backup-identity.ts'
import { rotate } from './key.ts'
import { printCode } from './confirmation-code.ts'
import { backUp, restoreExact, restoreIntoEmpty, restoreReplacing } from './state.ts'

/** Returns the text to print. Throws an error with a message for the operator. */
type Command = (config: Config, argument: string) => Promise<string>

interface CommandSpec {
  /** The arguments that name the command. */
  name: string
  /** The argument that follows the name. Null if the command takes no argument. */
  argument: keyof typeof argumentHints | null
  flag?: string
  /** Whether the command changes the store that is in place. An upgrade that goes back would lose the change. */
  changesStore?: true
  run: Command
}

const commands: readonly CommandSpec[] = [
  { name: 'admin reset-password', argument: 'email', changesStore: true, run: resetPassword },
  { name: 'admin reset-2fa', argument: 'email', changesStore: true, run: resetSecondFactor },
  { name: 'key rotate', argument: null, changesStore: true, run: rotate },
  { name: 'key export-backup-identity', argument: 'fileOrNone', changesStore: true, run: exportIdentity },
  { name: 'state backup', argument: 'file', run: backUp },
  { name: 'state restore', argument: 'file', run: restoreIntoEmpty },
  { name: 'state restore', argument: 'file', flag: '--replace', run: restoreReplacing },
  { name: 'state restore', argument: 'file', flag: '--exact', run: restoreExact },
  { name: 'state code', argument: null, changesStore: true, run: printCode },
]

const argumentHints = {
  email: 'takes one argument: the e-mail address of an account',
  file: 'takes one argument: the name of a file, or - for the standard stream',
  fileOrNone: 'takes at most one argument: the name of a file. Without a name it writes to standard output',
}

const usages: Record<string, string> = {
  admin: `Commands for an account that cannot sign in. They work while Berth runs and while it is stopped.

  berth admin reset-password EMAIL    set a new random password, end all sessions and revoke all API tokens
  berth admin reset-2fa EMAIL         turn the second factor off and invalidate its recovery codes

Set BERTH_DATA and BERTH_MASTER_KEY as for Berth itself. The audit log records each use.
`,
  key: `Commands for the master key, which seals all secrets in the store, and for the age identity that decrypts dumps.

  berth key rotate                           create a new master key and reseal every secret with it.
                                             Stop Berth first
  berth key export-backup-identity [FILE]    write the age identity of the recipient "installation" to a new file
                                             or to standard output. Berth can run or be stopped

If the master key is in <data>/master.key, key rotate replaces that file. If the key is set in BERTH_MASTER_KEY, set
BERTH_NEW_MASTER_KEY to the new key (openssl rand -base64 32) for key rotate. Afterwards set BERTH_MASTER_KEY to it.

The first export creates the identity. Later exports write the same identity. The identity is a secret: age -d -i FILE
decrypts every dump of the recipient "installation". Do not keep the file on this machine or in the bucket. The audit
log records each export.
`,
  state: `Commands for Berth's own state: accounts, projects, databases with their secrets, backup runs, the audit log.

  berth state backup FILE               write the state to a new file (-: standard output).
                                        Berth can run or be stopped
  berth state restore FILE              restore the state into a data folder without one (-: standard input).
                                        Stop Berth first
  berth state restore FILE --replace    restore the state even if the data folder has one. The old state is kept in
                                        another file. Stop Berth first
  berth state restore FILE --exact      the same for a state since which Berth has changed nothing: it needs no
                                        confirmation. berth upgrade uses this when it goes back by itself
  berth state code                      print a code that confirms a restored state. berth state review asks for it

After a restore Berth changes nothing until an administrator has confirmed the state. Sessions, API tokens and
invitations of the restored state are invalid: people sign in again.

The backup is sealed with the master key, and does not contain the key. Before a restore, put that key into
<data>/master.key or BERTH_MASTER_KEY. Never run two Berths with the same state.
`,
}

/**
 * Runs the command that the arguments name.
 * @param args the arguments after `berth`
 * @param heldBack why changes are held back; null if they are not
 * @returns the exit status: 0 after success, 1 if the command failed, 2 if the arguments are wrong
 */
export async function runCommand(args: string[], env: NodeJS.ProcessEnv, heldBack: GateReason | null): Promise<number> {
  const [group = '', verb = '', ...rest] = args
  const usage = usages[group] ?? Object.values(usages).join('\n')
  if (['help', '-h', '--help'].includes(verb)) return print(usage)
  const candidates = commands.filter(({ name }) => name === `${group} ${verb}`)
  if (candidates.length === 0) {
    return fail(verb === '' ? usage : `Unknown command '${group} ${verb}'.\n\n${usage}`, 2)
  }
  const operands = rest.filter((arg) => !arg.startsWith('--'))
  const command = candidates.find(({ flag }) => rest.filter((arg) => arg.startsWith('--')).join() === (flag ?? ''))
  const { name, argument } = command ?? candidates[0]!
  const target = operands[0] ?? (argument === 'fileOrNone' ? '-' : undefined)
  if (command === undefined || operands.length > 1 || (target === undefined) !== (argument === null)) {
    return fail(`'${name}' ${argument === null ? 'takes no arguments' : argumentHints[argument]}.\n\n${usage}`, 2)
  }
  if (command.changesStore === true && heldBack !== null) return fail(`${gateMessage(heldBack)}\n`, 1)
  try {
    const text = await command.run(parseConfig(env), target ?? '')
    // With `-`, the result itself may go to standard output, so the text for the operator goes to standard error.
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
