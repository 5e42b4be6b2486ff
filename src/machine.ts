/** Entry point of the commands on the machine: `berth admin`, `key`, `state`, `install` and `upgrade`. */
import { fileURLToPath } from 'node:url'
import { gateOf } from './gate/gate.ts'
import { runCommand } from './installation/commands/commands.ts'
import { isReleaseCommand, runReleaseCommand } from './installation/release/command.ts'
import { upgradeBarriers } from './installation/release/unconfirmed.ts'

const [name, ...args] = process.argv.slice(2)
const folder = fileURLToPath(new URL('..', import.meta.url))
// Files of an installation are for all users, files with secrets are not.
process.umask(isReleaseCommand(name) ? 0o022 : 0o077)
process.exitCode = isReleaseCommand(name)
  ? await runReleaseCommand(name, args, process.env, folder)
  : await runCommand(process.argv.slice(2), process.env, gateOf(upgradeBarriers(folder)).reason())
