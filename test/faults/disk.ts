/**
 * Mounts a small disk with a folder for Berth. The mount is in a mount namespace that ends with the test, so that nothing
 * stays mounted. Needs root.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { run } from '../e2e/host.ts'
import { temporaryFolder } from '../fixtures/folder.ts'

const program = `
  const { DatabaseSync } = require('node:sqlite')
  const file = new DatabaseSync(process.argv[1] + '/berth.db')
  console.log(JSON.stringify(file.prepare(process.argv[2]).all()))
  file.close()`

export type Disk = Awaited<ReturnType<typeof openDisk>>

/** @param mount a shell command that mounts the file "$2" on "$1"; by default a file system in memory */
export async function openDisk(
  t: Pick<TestContext, 'after'>,
  kibibytes: number,
  mount = `mount -t tmpfs -o size=${kibibytes}k tmpfs "$1"`,
  image = '',
) {
  const folder = temporaryFolder(t)
  const script = `${mount} && echo mounted && exec sleep infinity`
  const argv = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, 'sh']
  const holder = spawn('setpriv', [...argv, folder, image], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    const ended = once(holder, 'exit')
    holder.kill('SIGKILL')
    await ended
  })
  const mounted = await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit').then(() => null)])
  if (mounted === null) throw new Error('The disk could not be mounted')
  const before = ['nsenter', '--mount', '--target', String(holder.pid), '--']
  const hostFolder = `/proc/${holder.pid}/root${folder}`
  const filler = join(hostFolder, 'filler')
  const within = (...command: string[]) => run(before[0]!, [...before.slice(1), ...command])
  return {
    folder,
    before,
    hostFolder,
    within,
    fill,
    resize: (size: number) => within('mount', '-o', `remount,size=${size}k`, folder),
    makeRoom: () => rmSync(filler),
    /** Runs one statement on the store, in a process in the namespace, because SQLite opens the file by its path. */
    async sql(text: string): Promise<Record<string, unknown>[]> {
      const { stdout } = await within(
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        '-e',
        program,
        folder,
        text,
      )
      return JSON.parse(stdout) as Record<string, unknown>[]
    },
  }

  /** Fills the disk to its last byte. */
  function fill() {
    const file = openSync(filler, 'a')
    for (const bytes of [64 * 1024, 1]) fillWith(file, Buffer.alloc(bytes))
    closeSync(file)
  }
}

function fillWith(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
