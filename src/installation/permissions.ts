/**
 * Closes the data folder to all other users of the machine. The folder contains keys, tokens and the store. An unpacked
 * backup, `cp` or a permissive umask can have left these files readable.
 */
import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** The mode bits of the group and of others. */
const forOthers = 0o077
/** Files that show that a folder is a data folder of Berth. */
const ownName = /^(?:berth\.|master\.key|access-token)/
/** Files that a folder can contain before its first use: it can be the root of a disk or the home of a system user. */
const harmlessName = /^(?:lost\+found|\..*)$/

/**
 * Removes all permissions of the group and of others from the folder and everything in it. Symbolic links are not
 * followed.
 * @throws an error with a message for the operator if the folder holds files of something else and none of Berth, or a
 * mode cannot be changed
 */
export function closeToOthers(folder: string): void {
  const names = readdirSync(folder)
  if (!names.some((name) => ownName.test(name)) && !names.every((name) => harmlessName.test(name))) {
    throw new Error(
      `The folder ${folder} holds other files and no store of Berth. ` +
        'Set BERTH_DATA to an empty folder, or to one that does not exist yet',
    )
  }
  removeOthersAccess(folder, statSync(folder))
  closeWithin(folder)
}

function closeWithin(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() && !entry.isFile()) continue
    const path = join(folder, entry.name)
    // The proxy runs also while Berth does not, and can delete files in its own folder meanwhile.
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) continue
    removeOthersAccess(path, stats)
    if (entry.isDirectory()) closeWithin(path)
  }
}

function removeOthersAccess(path: string, { mode }: Stats): void {
  if ((mode & forOthers) === 0) return
  try {
    chmodSync(path, mode & 0o700)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    // On a read-only disk, that it is read-only is the more useful error.
    throw code === 'EROFS' ? cause : new Error(openMessage(path, mode), { cause })
  }
  // Some file systems accept chmod without an effect.
  const now = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((now & forOthers) !== 0) throw new Error(openMessage(path, now))
}

const openMessage = (path: string, mode: number) =>
  `${path} is open to other users of this machine (mode 0${(mode & 0o777).toString(8)}), and that cannot be changed. ` +
  `Run chmod go= ${path} as its owner, or set BERTH_DATA to a folder on a file system with modes`
