/**
 * Translates a job to Docker's API. Pure. Nothing is escaped: unlike Swarm, the container API does not treat texts as
 * Go templates.
 */
import type { EngineScope } from '../services/services.ts'
import { envList, networkOf } from '../services/spec.ts'
import { type Job, jobFolderPath } from '../../job.ts'
import { installationLabel, jobLabel } from '../../labels.ts'
import { sharedMemoryBytes } from '../../shared-memory.ts'

const mebibyte = 1024 * 1024

/** The request body of POST /containers/create. */
export function jobBody(job: Job, { installationId, networkName }: EngineScope) {
  const memory =
    job.memoryMib === undefined ? {} : { Memory: job.memoryMib * mebibyte, MemorySwap: job.memoryMib * mebibyte }
  return {
    Image: job.image,
    ...commandOf(job),
    Env: envList(job.env),
    Labels: { [installationLabel]: installationId, [jobLabel]: job.recordId },
    Tty: false,
    OpenStdin: job.stdin,
    // The program reads end of file when Berth ends the input.
    StdinOnce: job.stdin,
    AttachStdin: job.stdin,
    AttachStdout: true,
    AttachStderr: true,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...folderOf(job, networkName),
      LogConfig: { Type: 'none' },
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      ShmSize: sharedMemoryBytes(job.memoryMib ?? null),
      ...(job.keepsImageDefaults ? {} : { CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] }),
      ...memory,
    },
  }
}

function commandOf({ argv, keepsImageDefaults, entrypoint }: Job) {
  if (keepsImageDefaults !== true) return { Entrypoint: argv, Cmd: [], User: '0:0' }
  return { ...(entrypoint === undefined ? {} : { Entrypoint: entrypoint }), Cmd: argv }
}

/** Without DAC_OVERRIDE, root cannot read the files of other users. The mount is read-only. */
function folderOf(job: Job, networkName: string) {
  const { folder } = job
  if (folder === undefined) return { NetworkMode: networkOf(job, networkName) }
  const mount = { Type: 'bind', Source: folder, Target: jobFolderPath, ReadOnly: true }
  return { NetworkMode: 'none', Mounts: [mount], CapAdd: ['DAC_OVERRIDE'] }
}
