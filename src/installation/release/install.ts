/** Sets up a release as a systemd service. Every step is repeated without harm. */
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { incompletePath, openToAllUsers, placeRelease, removeIncomplete } from './archive.ts'
import { type Layout, targets } from './layout.ts'
import { hasProgram, runProgram } from './programs.ts'
import { readRelease, type Release } from './release.ts'
import type { Service } from './service.ts'
import { currentVersion, placeLink, placeUnit } from './switch.ts'
import { writeInOneStep } from '../../store/sqlite/synced.ts'

export interface Installing {
  layout: Layout
  /** The folder of the unpacked release. */
  folder: string
  service: Service | null
  isRoot: boolean
  say(text: string): void
}

interface Step {
  text: string
  isDone(): boolean
  act(): void | Promise<void>
}

/** The user that runs Berth, and the group that may use the Docker engine. */
const [userName, dockerGroup] = ['berth', 'docker']

/**
 * @param isDryRun whether the steps are only listed
 * @returns the text for the operator
 * @throws an error with a message for the operator
 */
export async function install(installing: Installing, isDryRun: boolean): Promise<string> {
  const { layout, say, service, isRoot } = installing
  const release = readRelease(installing.folder)
  const refusal = refusalOf(installing, release, isDryRun || isRoot)
  if (refusal !== null) throw new Error(refusal)
  const steps = stepsOf(installing, release).filter((step) => !step.isDone())
  if (isDryRun) {
    const lines = steps.map(({ text }) => `  ${text}`)
    return lines.length === 0 ? 'Everything is installed.' : ['berth install would', ...lines].join('\n')
  }
  mkdirSync(layout.programs, { recursive: true, mode: 0o755 })
  for (const { text, act } of steps) {
    await act()
    say(`Done: ${text}`)
  }
  return installedText(release, service !== null)
}

/** The reason why Berth cannot be installed; null if it can. */
function refusalOf({ layout }: Installing, { version }: Release, isAllowed: boolean): string | null {
  const current = currentVersion(layout)
  if (current !== null && current !== version) {
    return `Berth ${current} is installed in ${layout.programs}. To replace it: berth upgrade FILE`
  }
  if (existsSync(join(layout.programs, 'package.json'))) {
    return `${layout.programs} contains a source tree of Berth. Move it to another folder first`
  }
  if (groupMembers(layout, dockerGroup) === null) {
    return 'Docker is missing: there is no group docker. Install a Docker engine first, such as the package docker.io'
  }
  if (linkTarget(layout.command) === null && existsSync(layout.command)) {
    return `${layout.command} exists and is not a link to Berth. Remove it first`
  }
  return isAllowed ? null : 'The installation needs root: sudo bin/berth install'
}

function stepsOf(installing: Installing, release: Release): Step[] {
  const { layout, folder, service } = installing
  const { programs, current, command, settings, dataFolder } = layout
  const program = join(programs, release.version)
  return [
    {
      text: `copy this release to ${program}`,
      isDone: () => existsSync(program),
      act: () => copyRelease(layout, folder),
    },
    {
      text: `create the user ${userName} in the group ${dockerGroup}`,
      isDone: () => groupMembers(layout, dockerGroup)!.includes(userName) && userOf(layout) !== null,
      act: () => createUser(layout),
    },
    {
      text: `create the data folder ${dataFolder}, which only this user can read`,
      isDone: () => isOwnFolder(layout),
      act: () => createDataFolder(layout),
    },
    {
      text: `write ${settings}, which holds the settings of the service`,
      isDone: () => existsSync(settings) && /^BERTH_DATA=/m.test(readFileSync(settings, 'utf8')),
      act: () => writeSettings(layout),
    },
    {
      text: `link ${current} to ${release.version}`,
      isDone: () => currentVersion(layout) === release.version,
      act: () => placeLink(current, release.version),
    },
    {
      text: `link ${command} to ${targets.command}`,
      isDone: () => linkTarget(command) === targets.command,
      act: () => linkCommand(layout),
    },
    {
      text: `write the systemd unit ${layout.unit}${service === null ? '' : ' and start it'}`,
      isDone: () => existsSync(layout.unit) && (service === null || service.isActive()),
      act: () => enableUnit(installing),
    },
  ]
}

async function copyRelease(layout: Layout, folder: string): Promise<void> {
  removeIncomplete(layout)
  const copy = incompletePath(layout)
  try {
    cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
    openToAllUsers(copy)
    await placeRelease(layout, readRelease(copy))
  } finally {
    removeIncomplete(layout)
  }
}

/** The members of a group; null if there is no such group. Source of the format: group(5). */
function groupMembers({ root }: Layout, group: string): string[] | null {
  const line = lineIn(join(root, 'etc/group'), group)
  return line === null ? null : (line[3] ?? '').split(',')
}

/** The ids of the user of Berth; null if there is none. Source of the format: passwd(5). */
function userOf({ root }: Layout): { uid: number; gid: number } | null {
  const line = lineIn(join(root, 'etc/passwd'), userName)
  return line === null ? null : { uid: Number(line[2]), gid: Number(line[3]) }
}

function lineIn(path: string, name: string): string[] | null {
  if (!existsSync(path)) return null
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? null
}

function createUser(layout: Layout): void {
  const prefix = layout.root === '/' ? [] : ['--root', layout.root]
  if (userOf(layout) === null) {
    const options = ['--system', '--user-group', '--home-dir', targets.dataFolder, '--no-create-home']
    runProgram('useradd', [...prefix, ...options, '--shell', '/usr/sbin/nologin', '--groups', dockerGroup, userName])
  } else {
    runProgram('usermod', [...prefix, '--append', '--groups', dockerGroup, userName])
  }
}

function isOwnFolder(layout: Layout): boolean {
  const { dataFolder } = layout
  if (!existsSync(dataFolder)) return false
  const { uid, mode } = statSync(dataFolder)
  return uid === userOf(layout)?.uid && (mode & 0o077) === 0
}

function createDataFolder(layout: Layout): void {
  const { uid, gid } = userOf(layout)!
  mkdirSync(layout.dataFolder, { recursive: true })
  chownSync(layout.dataFolder, uid, gid)
  chmodSync(layout.dataFolder, 0o700)
}

/** The file can hold the master key, so that only root can read it. */
function writeSettings({ settings }: Layout): void {
  const present = existsSync(settings) ? readFileSync(settings, 'utf8').replace(/(?<=[^\n])$/, '\n') : ''
  const heading =
    present === '' ? '# The settings of Berth: berth up --help lists them. Restart the service afterwards.\n' : ''
  writeInOneStep(settings, `${heading}${present}BERTH_DATA=${targets.dataFolder}\n`, 0o600)
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function linkCommand({ command }: Layout): void {
  mkdirSync(dirname(command), { recursive: true })
  placeLink(command, targets.command)
}

function enableUnit({ layout, service, say }: Installing): void {
  mkdirSync(dirname(layout.unit), { recursive: true })
  placeUnit(layout)
  try {
    verifyUnit(layout)
  } catch (error) {
    // An older systemd ignores settings that it does not know, and starts Berth nevertheless.
    say((error as Error).message)
  }
  service?.reload()
  service?.enable()
}

function verifyUnit({ root, unit }: Layout): void {
  if (!hasProgram('systemd-analyze')) return
  const prefix = root === '/' ? [] : [`--root=${root}`]
  runProgram('systemd-analyze', ['verify', '--recursive-errors=no', ...prefix, unit])
}

function installedText({ version }: Release, isStarted: boolean): string {
  const start = isStarted
    ? 'The service runs: systemctl status berth, journalctl -u berth'
    : 'Start it, and at each boot: systemctl enable --now berth'
  return [
    `Berth ${version} is installed. ${start}`,
    '',
    'Next: create the administrator.',
    `  berth login http://127.0.0.1:3000 --token-file ${targets.dataFolder}/access-token`,
    '',
    `Settings are in /etc/berth.env. Keep a copy of ${targets.dataFolder}/master.key on another machine.`,
  ].join('\n')
}
