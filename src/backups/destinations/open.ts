/** The kinds of storages. Outside of this folder, no code knows of which kind a storage is. */
import { refuseField } from '../../errors.ts'
import type { Egress } from '../../lib/net/egress.ts'
import { endpointUrl, withoutBucket } from '../../lib/s3/endpoint.ts'
import { namingProxy } from '../../lib/s3/faults.ts'
import { openBucket } from '../../lib/s3/s3.ts'
import { addressText, sftpAddress } from '../../lib/sftp/address.ts'
import { openSftp } from '../../lib/sftp/sftp.ts'
import { StorageFault } from '../../lib/storage/faults.ts'
import type { Storage, StorageOptions } from '../../lib/storage/storage.ts'
import type { DestinationTable } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { type DestinationSettings, settingsOfDestination } from './settings.ts'

/** What the settings of a storage mean, without its secret. */
type OpenSettings = Pick<DestinationSettings, 'kind' | 'endpoint' | 'bucket'>

interface StorageKind {
  /** What holds the objects, for messages. */
  container: string
  open(settings: DestinationSettings, options: StorageOptions): Storage
  /** The host as messages name it. */
  hostOf(settings: OpenSettings): string
  /** Refuses a host that requests must not go to, and an endpoint that cannot be right. */
  check(settings: OpenSettings, egress: Egress): void
  /** Adds to a fault what the settings show about its cause. */
  hinted(fault: StorageFault, settings: OpenSettings): StorageFault
  /** Adds the proxy to a fault that was not found by the client of the storage. */
  byProxy(fault: StorageFault, settings: OpenSettings, egress: Egress): StorageFault
  /** The origin of a storage that answers with HTTP and so with its time. */
  webOriginOf(endpoint: string): string | null
}

const s3: StorageKind = {
  container: 'bucket',
  open: openBucket,
  hostOf: ({ endpoint }) => endpointUrl(endpoint)!.host,
  /** A DNS name is checked only when a connection is made: it can begin like the bucket by chance. */
  check({ endpoint, bucket }, egress) {
    const url = endpointUrl(endpoint)!
    refuseEgress(egress, url.hostname)
    const rest = withoutBucket(url, bucket)
    if (rest?.hostname === url.hostname) refuseField('endpoint', bucketInEndpoint(rest))
  },
  /** Says what to write instead of an endpoint that contains the bucket, as some providers show it. */
  hinted(fault, { endpoint, bucket }) {
    const rest = withoutBucket(endpointUrl(endpoint)!, bucket)
    if (rest === null) return fault
    return new StorageFault(fault.kind, `${fault.message}. ${bucketInEndpoint(rest)}`, fault.isTransient)
  },
  byProxy: (fault, { endpoint }, egress) => namingProxy(fault, egress.proxyOf(endpointUrl(endpoint)!)),
  webOriginOf: (endpoint) => endpointUrl(endpoint)?.origin ?? null,
}

const sftp: StorageKind = {
  container: 'folder',
  open: ({ endpoint, accessKey: user, secretAccessKey: secret, bucket: folder, hostKey }, options) =>
    openSftp({ ...sftpAddress(endpoint)!, user, secret, folder, hostKey }, options),
  hostOf: ({ endpoint }) => addressText(sftpAddress(endpoint)!),
  check: ({ endpoint }, egress) => refuseEgress(egress, sftpAddress(endpoint)!.host),
  hinted: (fault) => fault,
  byProxy: (fault) => fault,
  webOriginOf: () => null,
}

export const storageKinds: Record<DestinationTable['kind'], StorageKind> = { s3, sftp }

/** @param rest the endpoint without the bucket */
const bucketInEndpoint = ({ href }: URL): string => `The endpoint contains the bucket: write ${href.replace(/\/$/, '')}`

/** Refuses an address that requests must not go to (lib/net/egress.ts). */
function refuseEgress(egress: Egress, host: string): void {
  const fault = egress.faultOf(host)
  if (fault !== null) refuseField('endpoint', fault.message)
}

/** Sends no request. Dispose of the storage to close its connections. */
export const openStorage = (settings: DestinationSettings, options: StorageOptions): Storage =>
  storageKinds[settings.kind].open(settings, options)

export const openDestination = (vault: Vault, row: DestinationTable, options: StorageOptions): Storage =>
  openStorage(settingsOfDestination(vault, row), options)

export const webOriginOf = ({ kind, endpoint }: Pick<DestinationTable, 'kind' | 'endpoint'>): string | null =>
  storageKinds[kind].webOriginOf(endpoint)
