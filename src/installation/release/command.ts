/** The commands `berth install` and `berth upgrade`. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseConfig } from '../../config.ts'
import { upgradeBack } from './go-back.ts'
import { install } from './install.ts'
import { layoutIn } from './layout.ts'
import { serviceOf } from './service.ts'
import { resumeUpgrade, upgrade } from './upgrade.ts'

const usages = {
  install: `Sets up this release as a systemd service. Run it as root. A repeat does only what is missing.

  berth install                install: the program in /opt/berth, data in /var/lib/berth, settings in /etc/berth.env,
                               the command berth, the user berth, and the unit berth.service
  berth install --dry-run      list what the installation would do
  berth install --root DIR     install into another root folder, such as that of an image
`,
  upgrade: `Replaces the installed version of Berth. Run it as root.

  berth upgrade FILE           verify the archive with FILE.sha256 beside it, back up Berth's own state, switch to the
                               new version and wait until it works. If it does not, go back to the old version. Calls
                               that change something are refused meanwhile
  berth upgrade --resume       finish an upgrade that was interrupted, without its archive
  berth upgrade --back         go back to the version before the last upgrade
  berth upgrade --back --yes   go back even if this loses what was stored since the upgrade

  --timeout SECONDS            the time for the new version to start (120)
  --root DIR                   another root folder, as for berth install

Databases keep running meanwhile. If the command is interrupted, run it again, or berth upgrade --resume.
`,
}

const options = {
  root: { type: 'string', default: '/' },
  'dry-run': { type: 'boolean', default: false },
  back: { type: 'boolean', default: false },
  resume: { type: 'boolean', default: false },
  yes: { type: 'boolean', short: 'y', default: false },
  timeout: { type: 'string', default: '120' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

export const isReleaseCommand = (name: string | undefined): name is keyof typeof usages =>
  name !== undefined && Object.hasOwn(usages, name)

/**
 * @param args the arguments after the name of the command
 * @param folder the folder of the release that this program belongs to
 * @returns the exit status: 0 after success, 1 if the command failed, 2 if the arguments are wrong
 */
export async function runReleaseCommand(
  name: keyof typeof usages,
  args: string[],
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<number> {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${usages[name]}`, 2)
  }
  const { values, positionals } = parsed
  if (values.help || positionals[0] === 'help') return print(usages[name])
  const ways = positionals.length + Number(values.back) + Number(values.resume)
  const isComplete = name === 'install' ? positionals.length === 0 : ways === 1
  if (!isComplete || !/^\d{1,5}$/.test(values.timeout)) return fail(usages[name], 2)
  try {
    return print(await (name === 'install' ? runInstall(values, folder) : runUpgrade(values, positionals[0], env)))
  } catch (error) {
    return fail((error as Error).message, 1)
  }
}

const parse = (args: string[]) => parseArgs({ args, options, allowPositionals: true })
type Values = ReturnType<typeof parse>['values']

function runInstall({ root, 'dry-run': isDryRun }: Values, folder: string): Promise<string> {
  const layout = layoutIn(resolve(root))
  const isRoot = process.getuid!() === 0
  return install({ layout, folder, service: serviceOf(layout), isRoot, say }, isDryRun)
}

function runUpgrade({ root, back, resume, yes, timeout }: Values, file = '', env: NodeJS.ProcessEnv): Promise<string> {
  const layout = layoutIn(resolve(root))
  const upgrading = {
    layout,
    config: parseConfig(env),
    service: serviceOf(layout),
    readyTimeoutMs: Number(timeout) * 1000,
    now: () => new Date(),
    say,
    reached: () => undefined,
  }
  if (back) return upgradeBack(upgrading, yes)
  return resume ? resumeUpgrade(upgrading) : upgrade(upgrading, resolve(file))
}

const say = (text: string) => void process.stderr.write(`berth: ${text}\n`)

function print(text: string): number {
  process.stdout.write(`${text.trimEnd()}\n`)
  return 0
}

function fail(text: string, status: 1 | 2): number {
  process.stderr.write(`berth: ${text.trimEnd()}\n`)
  return status
}
