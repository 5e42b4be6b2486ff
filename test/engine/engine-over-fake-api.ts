/** A Docker engine whose API a test answers. The paths in requests have no version prefix. */
import type { TestContext } from 'node:test'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import { type Answers, type ApiRequest, fakeApi } from './fake-api.ts'

const prefix = '/v1.41'

export async function engineOverFakeApi(t: TestContext, answers: Answers) {
  const withoutPrefix = (request: ApiRequest) => ({ ...request, path: request.path.slice(prefix.length) })
  const api = await fakeApi((request, response) => answers(withoutPrefix(request), response))
  t.after(api.close)
  const { dockerHost } = api
  const engine = dockerEngine({ dockerHost, installationId: 'mine', networkName: 'berth', timeoutMs: 2000 })
  const requests = () => api.requests.map(withoutPrefix)
  return { engine, requests, paths: () => requests().map(({ method, path }) => `${method} ${path}`) }
}

/** Berth's network as Docker's API returns it. */
export const berthNetwork = {
  Id: 'x',
  Name: 'berth',
  Driver: 'overlay',
  Scope: 'swarm',
  Attachable: true,
  IPAM: { Config: [] },
}

/** The answer of GET /info on a node in this state of the swarm. */
export const swarmInfo = (state: string, isManager: boolean): [status: number, body: unknown] => [
  200,
  { Swarm: { NodeID: 'n', LocalNodeState: state, ControlAvailable: isManager, Error: 'certificate expired' } },
]
