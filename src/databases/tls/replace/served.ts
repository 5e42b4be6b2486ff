/**
 * Finds out which certificate a running server presents, by a handshake: from Berth's process if the server is on Berth's
 * node, and otherwise by a job in the network of the container.
 */
import { text } from 'node:stream/consumers'
import type { FoundTask } from '../../../engine/engine.ts'
import { workerProgram } from '../../../dumps/direct/program.ts'
import type { CertificateRequest } from '../../../lib/net/await-certificate.ts'
import type { Runtime } from '../../../runtime.ts'
import { directly, type Served } from './handshake.ts'

export type ServedQuestion = Omit<CertificateRequest, 'host'>

/** Finds out which certificate a server presents. */
export type AskCertificate = typeof servedCertificate

const programPath = '/berth/worker.mjs'

/** @param recordId the id of the database. A job has it as a label */
export async function servedCertificate(
  runtime: Runtime,
  task: FoundTask,
  recordId: string,
  question: ServedQuestion,
  signal: AbortSignal,
): Promise<Served> {
  const host = (await runtime.engine.hostAddresses()).get(task.containerId ?? '')
  if (host !== undefined) return directly({ ...question, host })
  if (task.address === null) return { failure: 'The container has no address' }
  return byJob(runtime, task, recordId, { ...question, host: task.address }, signal)
}

async function byJob(
  { engine, config }: Runtime,
  { nodeId, containerId }: FoundTask,
  recordId: string,
  request: CertificateRequest,
  signal: AbortSignal,
): Promise<Served> {
  const job = await engine.runJob(
    {
      ...(nodeId === null ? {} : { nodeId }),
      ...(containerId === null ? {} : { networkOf: containerId }),
      name: `berth-certificate-${recordId}`,
      recordId,
      image: config.nodeImage,
      argv: ['node', programPath, 'certificate', JSON.stringify(request)],
      env: {},
      files: [{ path: programPath, content: await workerProgram(), mode: 0o444 }],
      stdin: false,
    },
    signal,
  )
  const answer = await text(job.stdout)
  const { exitCode, lastLines } = await job.ended
  return exitCode === 0 ? (JSON.parse(answer) as Served) : { failure: lastLines || `exit code ${exitCode}` }
}
