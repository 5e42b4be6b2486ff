/**
 * Removes the access of other users of the machine to the data folder. The folder contains keys, tokens and the store.
 * A restored copy of the folder or a permissive umask can have left these files readable.
 */
import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** The mode bits of the group and of other users. */
const forOthers = 0o077
/** Files that show that a folder is a data folder of Berth. */
const ownName = /^(?:berth\.|master\.key|access-token)/
/**
 * Files that a folder may contain before Berth first uses it. The folder can be the root of a disk or the home folder
 * of a system user.
 */
const harmlessName = /^(?:lost\+found|\..*)$/

/**
 * Removes all permissions of the group and of other users from the folder and everything in it. Symbolic links are not
 * followed.
 * @throws an error with a message for the operator if a mode cannot be changed, or if the folder contains none of
 *   Berth's files but files that are not harmless (`harmlessName`)
 */
export function closeToOthers(folder: string): void {
  const names = readdirSync(folder)
  if (!names.some((name) => ownName.test(name)) && !names.every((name) => harmlessName.test(name))) {
    throw new Error(
      `The folder ${folder} contains other files and no store of Berth. ` +
        'Set BERTH_DATA to an empty folder or to a folder that does not exist yet',
    )
  }
  removeOthersAccess(folder, statSync(folder))
  closeWithin(folder)
}

function closeWithin(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() && !entry.isFile()) continue
    const path = join(folder, entry.name)
    // The proxy can delete a file in its own folder at the same time.
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
    // The original error names the read-only file system, which is the real problem.
    throw code === 'EROFS' ? cause : new Error(openMessage(path, mode), { cause })
  }
  // On some file systems chmod succeeds and changes nothing.
  const now = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((now & forOthers) !== 0) throw new Error(openMessage(path, now))
}

const openMessage = (path: string, mode: number) =>
  `Other users of this machine can access ${path} (mode 0${(mode & 0o777).toString(8)}), and Berth cannot change the ` +
  `mode. Run chmod go= ${path} as its owner, or set BERTH_DATA to a folder on a file system with file modes`
