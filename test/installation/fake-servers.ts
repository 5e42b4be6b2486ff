/** Fake MySQL servers on the in-memory engine. Each volume keeps the credentials that its server accepts. */
import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from '../../src/engine/engine.ts'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { isOwnAccountProgram, isRotation } from '../fixtures/database-clients.ts'
import type { TestBerth } from '../fixtures/test-berth.ts'

const kind = kindNamed('mysql')

/** The passwords that a rotation can choose. The servers know no others. */
export const passwords = ['password-1', 'password-2', 'password-3'] as const

export const settingsWith = (databasePassword: string) => ({
  databaseName: 'shop',
  databaseUser: 'shop',
  databasePassword,
  databaseRootPassword: 'a-root-password',
})

const known = passwords.map(settingsWith)
type Settings = (typeof known)[number]

/** The address of the engine's own node. */
const nodeAddress = '192.0.2.10'

const success: Outcome = { exitCode: 0, stdout: '', stderr: '' }
const notRun: Outcome = { exitCode: 125, stdout: '', stderr: '' }
const refusal: Outcome = { exitCode: 2, stdout: '', stderr: 'Access denied' }

/**
 * A server accepts the password of the environment in which its volume was initialized, until a program changes it.
 *
 * @param published the ports of the node at which servers can be reached too
 */
export function serveDatabases({ engine }: TestBerth, published: readonly number[] = []): void {
  const gateways = published.map((port) => ({ host: nodeAddress, port }))
  const accepted = new Map<string, Settings>()
  engine.answer = ({ serviceName, address }, program) => {
    const spec = engine.specOf(serviceName)
    const volume = spec?.mounts.find(({ type }) => type === 'volume')?.name
    if (spec == null || volume === undefined) return refusal
    const present = accepted.get(volume) ?? initialSettings(spec)
    accepted.set(volume, present)
    const at = { host: address!, port: kind.port }
    const isLogin = [at, ...gateways].some((address) => isDeepStrictEqual(program, kind.ready(present, address)))
    if (isLogin) return success
    if (isOwnAccountProgram(kind, program)) return notRun
    const next = known.find((to) => isRotation(program, (own) => kind.rotate(present, to, at, own)))
    if (next === undefined) return refusal
    accepted.set(volume, next)
    return success
  }
}

const initialSettings = ({ env }: ServiceSpec): Settings =>
  known.find((settings) => Object.entries(kind.env(settings)).every(([name, value]) => env[name] === value)) ??
  known[0]!
