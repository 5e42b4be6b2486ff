/**
 * Translates a remote command to Docker's API, and parses its output. Also builds the curl command that sends requests
 * to another engine, and parses the answers. Pure.
 */
import { gunzipSync } from 'node:zlib'
import type { EngineScope } from '../services/services.ts'
import { escapeTemplate } from '../services/spec.ts'
import { remoteCommandRole, installationLabel, roleLabel } from '../../labels.ts'

/** A program that runs one time on one node, with one file or folder of that node mounted. */
export interface RemoteCommand {
  nodeId: string
  image: string
  argv: string[]
  /** Absolute path on the node, which must exist. Mounted at `sourceMountPath`. */
  source: string
  isReadOnly: boolean
  /** The capabilities to keep, like DAC_READ_SEARCH. */
  capabilities: string[]
}

/** The path inside the container at which `source` is mounted. */
export const sourceMountPath = '/run/berth'

/**
 * Service logs consist of text lines, do not order output relative to errors, and have no end marker. So the script
 * compresses and encodes the output together with the exit code. Both streams end with the command's name as a line.
 */
const script = '("$@"; printf "\\n%s" $?) | gzip | base64; echo "$0"; echo "$0" >&2'

/** The request body of POST /services/create. */
export function remoteCommandBody(name: string, command: RemoteCommand, { installationId }: EngineScope) {
  const labels = { [installationLabel]: installationId, [roleLabel]: remoteCommandRole }
  return {
    Name: name,
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: command.image,
        Command: ['sh', '-c', script, name, ...command.argv],
        User: '0:0',
        Labels: labels,
        CapabilityDrop: ['ALL'],
        CapabilityAdd: command.capabilities.map((capability) => `CAP_${capability}`),
        Mounts: [
          {
            Type: 'bind',
            Source: escapeTemplate(command.source),
            Target: sourceMountPath,
            ReadOnly: command.isReadOnly,
          },
        ],
        Healthcheck: { Test: ['NONE'] },
      },
      LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '1' } },
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: [`node.id==${command.nodeId}`] },
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  }
}

export interface Request {
  method: 'GET' | 'DELETE' | 'POST'
  /** The path with its query, URL-encoded. */
  path: string
  /** The body, which is sent as JSON. */
  body?: unknown
}

export interface Answer {
  status: number
  body: Buffer
}

/** The time limit of one request. A request for statistics takes two seconds, because the engine measures first. */
const maxSeconds = 20

/**
 * The argv of curl that sends the requests one after the other. Each answer is followed by a line with its status and
 * its size in bytes.
 */
export function curlArgv(requests: Request[]): string[] {
  const optionsOf = ({ method, path, body }: Request) => [
    '--silent',
    '--show-error',
    '--globoff',
    '--max-time',
    String(maxSeconds),
    '--unix-socket',
    sourceMountPath,
    '--request',
    method,
    ...(body === undefined ? [] : ['--header', 'Content-Type: application/json', '--data-raw', JSON.stringify(body)]),
    '--write-out',
    '\\n%{http_code} %{size_download}\\n',
    `http://engine${path}`,
  ]
  const options = requests.flatMap((request, at) => [...(at === 0 ? [] : ['--next']), ...optionsOf(request)])
  return ['curl', '--fail-early', ...options]
}

/**
 * Parses the output of the command that `curlArgv` returns. Begins with the last answer, because an answer may contain
 * any bytes. Returns no answers if the output ends within an answer.
 */
export function parseAnswers(output: Buffer): Answer[] {
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

/** The exit code and standard output of a remote command. */
export interface Output {
  exitCode: number
  bytes: Buffer
}

/** The limit of the decompressed output in bytes, much larger than the expected answers. */
const maxBytes = 64 * 1024 * 1024

/** Decodes the output that `script` printed; null if it is incomplete. */
export function parseOutput(lines: string[]): Output | null {
  let decoded: Buffer
  try {
    decoded = gunzipSync(Buffer.from(lines.join(''), 'base64'), { maxOutputLength: maxBytes })
  } catch {
    return null
  }
  const at = decoded.lastIndexOf('\n')
  return { exitCode: Number(decoded.toString('latin1', at + 1)), bytes: decoded.subarray(0, Math.max(at, 0)) }
}
