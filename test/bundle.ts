/** The bundle, which is what users run. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/** The flags of Node with which `./berth` runs an entry. */
export const nodeFlags = readFileSync(`${root}scripts/node-flags`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('--'))

/** Gives the path of an entry of the bundle, after building the bundle where a source has changed. */
export function bundled(entry: 'berth' | 'machine'): string {
  execFileSync('sh', ['scripts/bundle.sh', process.execPath], { cwd: root, stdio: 'inherit' })
  return `${root}dist/${entry}.mjs`
}
