/** An errand in the words of Docker's API, and what it printed in those of its caller. Pure. */
import { gunzipSync } from 'node:zlib'
import type { Place } from '../services/services.ts'
import { literal } from '../services/spec.ts'
import { remoteCommandRole, installationLabel, roleLabel } from '../../labels.ts'

/** One program, once, on one node, with one thing of that node before it. */
export interface RemoteCommand {
  nodeId: string
  image: string
  argv: string[]
  /** Absolute, on the node; it has to be there. */
  source: string
  isReadOnly: boolean
  /** Of root's, like DAC_READ_SEARCH. */
  capabilities: string[]
}

/** Where the program has it. */
export const remoteCommandPath = '/run/berth'

/**
 * Its output arrives as text in lines, out of order with its errors, and without a word at the end. So it goes packed,
 * with its exit code, and each of the two ends with a line of the errand's own name.
 */
const script = '("$@"; printf "\\n%s" $?) | gzip | base64; echo "$0"; echo "$0" >&2'

export function remoteCommandBody(name: string, it: RemoteCommand, { installationId }: Place) {
  const labels = { [installationLabel]: installationId, [roleLabel]: remoteCommandRole }
  return {
    Name: name,
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: it.image,
        Command: ['sh', '-c', script, name, ...it.argv],
        User: '0:0',
        Labels: labels,
        CapabilityDrop: ['ALL'],
        CapabilityAdd: it.capabilities.map((capability) => `CAP_${capability}`),
        Mounts: [{ Type: 'bind', Source: literal(it.source), Target: remoteCommandPath, ReadOnly: it.isReadOnly }],
        Healthcheck: { Test: ['NONE'] },
      },
      LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '1' } },
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: [`node.id==${it.nodeId}`] },
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  }
}

export interface Request {
  method: 'GET' | 'DELETE'
  /** With its query, all of it encoded. */
  path: string
}

export interface Answer {
  status: number
  body: Buffer
}

/** Of each request; the engine measures a container for two seconds before it answers. */
const maxSeconds = 20

/** One after the other, each answer followed by its status and its size in bytes on a line of their own. */
export function curlOf(requests: Request[]): string[] {
  const one = ({ method, path }: Request) => [
    '--silent',
    '--show-error',
    '--globoff',
    '--max-time',
    String(maxSeconds),
    '--unix-socket',
    remoteCommandPath,
    '--request',
    method,
    '--write-out',
    '\\n%{http_code} %{size_download}\\n',
    `http://engine${path}`,
  ]
  const words = requests.flatMap((request, at) => [...(at === 0 ? [] : ['--next']), ...one(request)])
  return ['curl', '--fail-early', ...words]
}

/** From the last one on: an answer may have any bytes. Of what is cut it gives none. */
export function answersIn(output: Buffer): Answer[] {
  const answers: Answer[] = []
  for (let end = output.length; end > 0; ) {
    const at = output.lastIndexOf('\n', end - 2)
    const [, status, size] = /^(\d{3}) (\d+)\n$/.exec(output.toString('latin1', at + 1, end)) ?? []
    const from = at - Number(size)
    if (at < 0 || !(from >= 0)) return []
    answers.unshift({ status: Number(status), body: output.subarray(from, at) })
    end = from
  }
  return answers
}

/** What the program printed on its standard output, and how it ended. */
export interface Output {
  exitCode: number
  bytes: Buffer
}

/** More than any answer has, unpacked. */
const maxBytes = 64 * 1024 * 1024

/** Null where it did not arrive whole. */
export function outputIn(lines: string[]): Output | null {
  let all: Buffer
  try {
    all = gunzipSync(Buffer.from(lines.join(''), 'base64'), { maxOutputLength: maxBytes })
  } catch {
    return null
  }
  const at = all.lastIndexOf('\n')
  return { exitCode: Number(all.toString('latin1', at + 1)), bytes: all.subarray(0, Math.max(at, 0)) }
}
