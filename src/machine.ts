/** The entry for commands on the machine itself (`berth admin`, `key`, `state`): acts when it is run, like main.ts. */
import { runCommand } from './installation/commands/commands.ts'

process.umask(0o077)
process.exitCode = await runCommand(process.argv.slice(2), process.env)
