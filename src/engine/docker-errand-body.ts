/** An errand in the words of Docker's API, and what it printed in those of its caller. Pure. */
import type { Place } from './docker-services.ts'
import { literal } from './docker-spec.ts'
import { errandRole, installationLabel, roleLabel } from './labels.ts'

/** One program, once, on one node, with one thing of that node before it. */
export interface Errand {
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
export const errandPath = '/run/berth'

export function errandBody(name: string, it: Errand, { installationId }: Place) {
  const labels = { [installationLabel]: installationId, [roleLabel]: errandRole }
  return {
    Name: name,
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: it.image, Command: it.argv, User: '0:0', Labels: labels,
        CapabilityDrop: ['ALL'], CapabilityAdd: it.capabilities.map((capability) => `CAP_${capability}`),
        Mounts: [{ Type: 'bind', Source: literal(it.source), Target: errandPath, ReadOnly: it.isReadOnly }],
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

export interface Answer { status: number; body: string }

/** Of each request; the engine measures a container for two seconds before it answers. */
const mostSeconds = 20

/** One after the other, each answer followed by its status on a line of its own. */
export function curlOf(requests: Request[]): string[] {
  const one = ({ method, path }: Request) => [
    '--silent', '--show-error', '--globoff', '--max-time', String(mostSeconds), '--unix-socket', errandPath,
    '--request', method, '--write-out', '\\n%{http_code}\\n', `http://engine${path}`,
  ]
  const words = requests.flatMap((request, at) => [...(at === 0 ? [] : ['--next']), ...one(request)])
  return ['curl', '--fail-early', ...words]
}

/** Answers are JSON without ends of line, or nothing. */
export function answersIn(lines: string[]): Answer[] {
  let body = ''
  return lines.flatMap((line) => {
    if (!/^\d{3}$/.test(line)) {
      body += line
      return []
    }
    const answer = { status: Number(line), body }
    body = ''
    return [answer]
  })
}
