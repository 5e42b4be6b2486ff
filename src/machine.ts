/** Entry point of the commands on the machine: `berth admin`, `berth key` and `berth state`. */
import { runCommand } from './installation/commands/commands.ts'

process.umask(0o077)
process.exitCode = await runCommand(process.argv.slice(2), process.env)
