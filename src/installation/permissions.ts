/**
 * Closes the data folder to all other users of the machine. It holds keys, tokens and the store, which name every
 * database; an unpacked backup, `cp` or a wide umask may have left them readable.
 */
import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** Whatever the group and others may do. */
const forOthers = 0o077
/** A folder that has one of these is Berth's own. */
const ownName = /^(?:berth\.|master\.key|access-token)/
/** In a folder that somebody made for Berth: the root of a disk, the home of a system user. */
const harmlessName = /^(?:lost\+found|\..*)$/

/**
 * Gives the folder mode 0700 and all in it 0700 (folders) and 0600 (files). Symbolic links are not followed. Throws, in
 * a sentence for the operator, where the folder belongs to something else, and where a mode cannot be changed.
 */
export function closeToOthers(folder: string): void {
  const names = readdirSync(folder)
  if (!names.some((name) => ownName.test(name)) && !names.every((name) => harmlessName.test(name))) {
    throw new Error(
      `The folder ${folder} holds other files and no store of Berth. ` +
        'Set BERTH_DATA to an empty folder, or to one that does not exist yet',
    )
  }
  narrow(folder, statSync(folder))
  closeWithin(folder)
}

function closeWithin(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() && !entry.isFile()) continue
    const path = join(folder, entry.name)
    // The proxy, which outlives Berth, may be at work in its own folder.
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) continue
    narrow(path, found)
    if (entry.isDirectory()) closeWithin(path)
  }
}

function narrow(path: string, { mode }: Stats): void {
  if ((mode & forOthers) === 0) return
  try {
    chmodSync(path, mode & 0o700)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    // Of a disk that can only be read the modes are not what matters.
    throw code === 'EROFS' ? cause : new Error(openText(path, mode), { cause })
  }
  // Some file systems take a mode and keep another.
  const now = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((now & forOthers) !== 0) throw new Error(openText(path, now))
}

const openText = (path: string, mode: number) =>
  `${path} is open to other users of this machine (mode 0${(mode & 0o777).toString(8)}), and that cannot be changed. ` +
  `Run chmod go= ${path} as its owner, or set BERTH_DATA to a folder on a file system with modes`
