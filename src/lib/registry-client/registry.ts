/**
 * A client for registries of images with the Distribution v2 protocol: checks credentials, lists repositories and tags.
 * All waits have a timeout, and nothing is written to the disk. Errors are of the class RegistryFault (see `explain`),
 * or the reason of an aborted signal.
 */
import { parseImage } from '../text/image-reference.ts'
import { parseRegistry } from './address.ts'
import { RegistryFault, wrongCredentials } from './faults.ts'
import { type Answer, type Connection, canReceiveCredentials, openConnection, type Options } from './connection.ts'
import { collect, type Listed } from './lists.ts'
import { authorize, basic, checkRegistry, type Credentials, findRegistry } from './login.ts'

export { hostOf, imageOn, parseRegistry, registryOf, splitGroup } from './address.ts'
export { explain, type FaultKind, RegistryFault } from './faults.ts'
export type { Options } from './connection.ts'
export type { Listed } from './lists.ts'
export { passwordFault, usernameFault } from './login.ts'

export interface Settings extends Credentials {
  /** In any form that `parseRegistry` accepts. */
  registryUrl: string
}

export interface SignedIn {
  /** The host as in names of images. */
  host: string
  /** False if the registry grants access without credentials, so that they could not be checked. */
  isChecked: boolean
}

export interface Registry extends Disposable {
  /**
   * Logs in as Docker does.
   * @throws RegistryFault, of the kind `credentials` if the username or password is wrong
   */
  signIn(signal: AbortSignal): Promise<SignedIn>
  /**
   * Lists repositories.
   * @param maxCount the maximum number
   * @param last the name after which the list begins, in the order of the registry; null: from the beginning
   */
  catalogue(maxCount: number, last: string | null, signal: AbortSignal): Promise<Listed>
  /** Lists tags of a repository. The list is empty if the repository does not exist. */
  tags(name: string, maxCount: number, signal: AbortSignal): Promise<Listed>
}

/** A registry can refuse larger pages. Source: catalog.maxentries in Distribution's configuration. */
const maxOfPage = 500

/**
 * Sends no request. Dispose of the result to close its connections. Requests that are still running then fail.
 */
export function openRegistry({ registryUrl, ...credentials }: Settings, options: Options = {}): Registry {
  const address = parseRegistry(registryUrl)
  if (address === null) throw new Error('registryUrl is not a valid registry address')
  const { host, origins } = address
  const connection = openConnection(new URL(origins[0]!).hostname, options)
  let endpoint: URL | undefined
  let authorization: string | undefined

  /** Sends a request with the current login. After a 401, logs in again and repeats the request. */
  const get = async (url: URL, signal: AbortSignal): Promise<Answer> => {
    const answer = await connection.ask(url, signal, { authorization })
    if (answer.status !== 401) return answer
    const next = await authorize(connection, answer, credentials, signal)
    if (next === authorization) return answer
    authorization = next
    return connection.ask(url, signal, { authorization })
  }
  const list = (path: string, key: 'repositories' | 'tags', maxCount: number, signal: AbortSignal) =>
    connection.within(signal, async (callSignal) => {
      endpoint ??= (await findRegistry(connection, origins, callSignal)).url
      return collect((url) => get(url, callSignal), new URL(path, endpoint.origin), key, maxCount)
    })

  return {
    signIn: (signal) =>
      connection.within(signal, async (callSignal) => ({
        host,
        isChecked: await verifyCredentials(
          connection,
          await findRegistry(connection, origins, callSignal),
          credentials,
          callSignal,
        ),
      })),
    catalogue: (maxCount, last, signal) => {
      const query = new URLSearchParams({ n: String(Math.min(maxCount, maxOfPage)), ...(last !== null && { last }) })
      return list(`/v2/_catalog?${query}`, 'repositories', maxCount, signal)
    },
    tags: async (name, maxCount, signal) =>
      parseImage(`registry.example/${name}`)?.path === name
        ? list(`/v2/${name}/tags/list`, 'tags', maxCount, signal)
        : { names: [], isWhole: true },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}

/** Whether credentials for the address `from` can be sent to the address `to`, by the same rule as for redirects. */
export function canInheritCredentials(from: string, to: string): boolean {
  const [fromAddress, toAddress] = [parseRegistry(from), parseRegistry(to)]
  if (fromAddress === null || toAddress === null) return false
  return toAddress.origins.every((url) =>
    fromAddress.origins.some((it) => canReceiveCredentials(new URL(it), new URL(url))),
  )
}

/**
 * Returns whether the registry checked the credentials.
 * @throws RegistryFault if the credentials are wrong
 */
async function verifyCredentials(
  connection: Connection,
  first: Answer,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<boolean> {
  const url = new URL('/v2/', first.url)
  const asBasic = basic(credentials)
  // A registry that grants anonymous access may still check credentials.
  const refusal = first.status === 401 ? first : await connection.ask(url, signal, { authorization: asBasic })
  if (refusal.status === 403) throw wrongCredentials(url.host)
  if (refusal.status !== 401) {
    checkRegistry(refusal)
    return false
  }
  const authorization = await authorize(connection, refusal, credentials, signal)
  const wasTried = authorization === asBasic && refusal !== first
  const last = wasTried ? refusal : await connection.ask(url, signal, { authorization })
  if (last.status === 401 || last.status === 403) throw refusalOf(last, authorization === asBasic)
  checkRegistry(last)
  return true
}

function refusalOf({ status, url: { host } }: Answer, isBasic: boolean): RegistryFault {
  if (isBasic) return wrongCredentials(host)
  return new RegistryFault(
    'answer',
    `${host} rejected the token of its own token server (HTTP ${status}). ` +
      'Check its settings for issuer, service and certificate, and the clocks of both servers',
  )
}
