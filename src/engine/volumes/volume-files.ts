/**
 * Small files in a volume of their own, which Berth replaces while a container uses them. This module has their type and
 * the job that writes them (write-files.sh). Pure.
 */
import { textFile } from '../../lib/text-file.ts'
import { EngineFailure } from '../failures.ts'
import type { Job, JobEnd } from '../job.ts'

export interface VolumeFiles {
  /** The name of the volume. The node creates it if it is missing. */
  volume: string
  /** The node of the volume. */
  nodeId: string
  /** An image with a shell and the owner of the files. The node gets it if it is missing. */
  image: string
  /** The user of the image that owns the files. Several names, separated by spaces: the first that the image has. */
  owner: string
  /** The labels of the volume, if this creates it. The label of the installation is added. */
  labels: Record<string, string>
  /** All files of the volume: others are removed. A name has letters, digits and `._-`, and no leading dot. */
  files: readonly VolumeFile[]
  /** The id of the record that the files belong to. */
  recordId: string
}

export interface VolumeFile {
  name: string
  content: string
  /** Permission bits, like 0o600. */
  mode: number
}

const script = textFile('engine/volumes/write-files.sh')
const folder = '/etc/berth/volume'
const staging = '/etc/berth/staging'

/**
 * The job that replaces the files of a volume.
 * @throws EngineFailure `rejected` if a file has an invalid name
 */
export function writeFilesJob({ volume, nodeId, image, owner, labels, files, recordId }: VolumeFiles): Job {
  const invalid = files.find(({ name }) => !/^[\w-][\w.-]{0,60}$/.test(name))
  if (invalid) throw new EngineFailure('rejected', `A volume cannot have a file named ${JSON.stringify(invalid.name)}`)
  return {
    nodeId,
    name: `berth-files-${volume}`,
    recordId,
    image,
    argv: ['sh', '-c', script, 'berth', folder, owner, staging, ...files.map(({ name }) => name)],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    files: files.map(({ name, content, mode }) => ({ path: `${staging}/${name}`, content, mode })),
    volumes: [{ name: volume, path: folder, labels }],
    capabilities: ['CHOWN'],
    hasNetwork: false,
    stdin: false,
  }
}

/** @throws EngineFailure `failed` if the job did not write the files */
export function checkFilesWritten({ volume }: VolumeFiles, { exitCode, lastLines }: JobEnd): void {
  if (exitCode === 0) return
  throw new EngineFailure(
    'failed',
    `Cannot write files to the volume ${volume}: ${lastLines || `exit code ${exitCode}`}`,
  )
}
