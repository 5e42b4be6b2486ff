/**
 * A registry of images, by the Distribution v2 protocol: whether credentials are good, and what is in it. No wait is
 * without a bound, nothing is put on the disk, and what is thrown is a RegistryFault: a sentence (`explain`).
 */
import { parseImage } from '../text/image-reference.ts'
import { parseRegistry } from './address.ts'
import { RegistryFault, wrongCredentials } from './faults.ts'
import { type Answer, type Line, mayKnow, openLine, type Options } from './connection.ts'
import { collect, type Listed } from './lists.ts'
import { authorize, basic, checkRegistry, type Credentials, reach } from './login.ts'

export { hostOf, imageOn, parseRegistry, registryOf } from './address.ts'
export { explain, type FaultKind, RegistryFault } from './faults.ts'
export type { Options } from './connection.ts'
export type { Listed } from './lists.ts'
export { passwordFault, usernameFault } from './login.ts'

export interface Settings extends Credentials {
  /** In any form that `parseRegistry` knows. */
  registryUrl: string
}

export interface SignedIn {
  /** As images of it are named. */
  host: string
  /** False: the registry lets anybody in and looked at no credentials, so nothing is known of these. */
  isChecked: boolean
}

export interface Registry extends Disposable {
  /** Logs in as Docker does. */
  signIn(signal: AbortSignal): Promise<SignedIn>
  /** Names of what is in it, at most so many, those after `last` in its order. */
  catalogue(most: number, last: string | null, signal: AbortSignal): Promise<Listed>
  /** Of one of these names; one that is not there has none. */
  tags(name: string, most: number, signal: AbortSignal): Promise<Listed>
}

/** More than this a registry may refuse. Source: catalog.maxentries in Distribution's configuration. */
const maxOfPage = 500

/**
 * Nothing is asked of the registry yet. Dispose of it, or its connections stay until the registry ends them; what is
 * under way then breaks.
 */
export function openRegistry({ registryUrl, ...credentials }: Settings, options: Options = {}): Registry {
  const address = parseRegistry(registryUrl)
  if (address === null) throw new Error('This is no address of a registry')
  const { host, origins } = address
  const line = openLine(new URL(origins[0]!).hostname, options)
  let found: URL | undefined
  let authorization: string | undefined

  /** With the last login that was asked for, and a new one where that does not do. */
  const get = async (url: URL, signal: AbortSignal): Promise<Answer> => {
    const answer = await line.ask(url, signal, { authorization })
    if (answer.status !== 401) return answer
    const next = await authorize(line, answer, credentials, signal)
    if (next === authorization) return answer
    authorization = next
    return line.ask(url, signal, { authorization })
  }
  const list = (path: string, key: 'repositories' | 'tags', most: number, signal: AbortSignal) =>
    line.within(signal, async (both) => {
      found ??= (await reach(line, origins, both)).url
      return collect((url) => get(url, both), new URL(path, found.origin), key, most)
    })

  return {
    signIn: (signal) =>
      line.within(signal, async (both) => ({
        host,
        isChecked: await prove(line, await reach(line, origins, both), credentials, both),
      })),
    catalogue: (most, last, signal) => {
      const query = new URLSearchParams({ n: String(Math.min(most, maxOfPage)), ...(last !== null && { last }) })
      return list(`/v2/_catalog?${query}`, 'repositories', most, signal)
    },
    tags: async (name, most, signal) =>
      parseImage(`registry.example/${name}`)?.path === name
        ? list(`/v2/${name}/tags/list`, 'tags', most, signal)
        : { names: [], isWhole: true },
    [Symbol.dispose]: () => line[Symbol.dispose](),
  }
}

/** Whether credentials for the one address may be sent to the other, by the rule of redirects. */
export function mayInherit(from: string, to: string): boolean {
  const [known, asked] = [parseRegistry(from), parseRegistry(to)]
  if (known === null || asked === null) return false
  return asked.origins.every((url) => known.origins.some((it) => mayKnow(new URL(it), new URL(url))))
}

/** Whether the registry looked at the credentials; throws where they are not good. */
async function prove(line: Line, first: Answer, credentials: Credentials, signal: AbortSignal): Promise<boolean> {
  const url = new URL('/v2/', first.url)
  const asBasic = basic(credentials)
  // One that lets anybody in may look at what it is given all the same.
  const refusal = first.status === 401 ? first : await line.ask(url, signal, { authorization: asBasic })
  if (refusal.status === 403) throw wrongCredentials(url.host)
  if (refusal.status !== 401) {
    checkRegistry(refusal)
    return false
  }
  const authorization = await authorize(line, refusal, credentials, signal)
  const wasTried = authorization === asBasic && refusal !== first
  const last = wasTried ? refusal : await line.ask(url, signal, { authorization })
  if (last.status === 401 || last.status === 403) throw refusalOf(last, authorization === asBasic)
  checkRegistry(last)
  return true
}

function refusalOf({ status, url: { host } }: Answer, isBasic: boolean): RegistryFault {
  if (isBasic) return wrongCredentials(host)
  return new RegistryFault(
    'answer',
    `${host} does not take the token that its own token server gave (HTTP ${status}). ` +
      'Check its settings of issuer, service and certificate, and the clocks of both',
  )
}
