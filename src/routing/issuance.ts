/**
 * Certificates that the proxy obtains by ACME. A renewed certificate replaces the uploaded certificate in the store. A
 * certificate for an application with `berth.tls=auto` stays in the proxy's folder, and the proxy renews it.
 */
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config.ts'
import { readTail } from '../lib/net/read-tail.ts'
import { readWhole } from '../lib/net/read-whole.ts'
import { type AcmeState, acmeStates, storedPaths } from './caddy/acme-log.ts'
import { describeChain, type CertificateDescription, readPair, renewFrom } from './caddy/certificate.ts'
import { describedFrom } from './caddy/described.ts'
import { hostMatches, isWildcard } from './caddy/hosts.ts'
import { hostsOf } from './application-lookup.ts'
import { type Rules, sealPairs } from './queries.ts'
import type { CertificateTable, IssuanceTable } from './table.ts'
import type { ProxyChanges } from './proxy-changes.ts'
import type { Runtime } from '../runtime.ts'

/** Berth reads at most this many bytes from the end of the ACME log. */
const maxLogBytes = 16 * 1024 ** 2
const maxPemBytes = 1024 ** 2

/** Paths of the proxy's ACME files. */
export interface AcmeFiles {
  /** The folder of the certificates that the proxy obtained. */
  storage: string
  /** The log of the ACME orders. */
  log: string
}

/**
 * Returns the names that the proxy obtains certificates for: names of stored certificates that are due for renewal,
 * hosts of applications with `berth.tls=auto`, and the host of Berth itself. The result is sorted, so that the same names
 * give the same configuration.
 */
export function managedNames(rules: Rules, config: PublicUrlConfig, now: Date): string[] {
  const own = config.publicUrl?.certificate === 'acme' ? [config.publicUrl.host] : []
  return [...new Set([...renewalNames(rules, now), ...automaticNames(rules, config, now), ...own])].sort()
}

type PublicUrlConfig = Pick<Config, 'publicUrl'>

const renewalNames = ({ certificates }: Rules, now: Date): string[] =>
  certificates
    .filter((row) => isDue(row, now))
    .flatMap((row) => describedFrom(row.described).flatMap(({ names }) => names))

function isDue({ autoRenew, described }: CertificateTable, now: Date): boolean {
  return (
    autoRenew === 1 && describedFrom(described).some(({ notBefore, notAfter }) => renewFrom(notBefore, notAfter) <= now)
  )
}

/**
 * Returns the hosts of applications with `berth.tls=auto` that no valid certificate in the store covers. The result
 * contains no wildcards.
 */
export function automaticNames({ applications, certificates }: Rules, config: PublicUrlConfig, now: Date): string[] {
  const covered = certificates
    .flatMap(({ described }) => describedFrom(described))
    .filter(({ notAfter }) => notAfter > now)
    .flatMap(({ names }) => names)
  const hosts = hostsOf(applications, config)
  return applications
    .filter(({ tls }) => tls === 'auto')
    .flatMap(({ id }) => hosts.get(id)!)
    .filter((host) => !isWildcard(host) && !covered.some((name) => hostMatches(name, host)))
}

/** Records the state of ACME for each managed name in the table `issuance`, and stores renewed certificates. */
export async function updateIssuances(
  runtime: Runtime,
  rules: Rules,
  files: AcmeFiles,
  proxy: ProxyChanges,
): Promise<void> {
  const names = managedNames(rules, runtime.config, runtime.now())
  const states = names.length === 0 ? new Map<string, AcmeState>() : acmeStates(await readTail(files.log, maxLogBytes))
  const obtained = new Map(
    await Promise.all(names.map(async (name) => [name, await readObtained(files, name)] as const)),
  )
  await recordIssuances(
    runtime,
    names.map((name) => rowOf(name, states.get(name), obtained.get(name)!)),
  )
  const due = rules.certificates.filter((row) => isDue(row, runtime.now()))
  for (const row of due) await renew(runtime, row, obtained, proxy)
}

/** A certificate that the proxy obtained, with its key, in PEM. */
interface ObtainedCertificate {
  chain: string
  key: string
  described: CertificateDescription
}

/**
 * Reads the certificate that the proxy obtained for a name. If several authorities issued a certificate, returns the
 * one that expires last. Returns null if there is none.
 */
async function readObtained({ storage }: AcmeFiles, name: string): Promise<ObtainedCertificate | null> {
  const { authorities, chain, key } = storedPaths(name)
  const candidates = await Promise.all(
    (await entriesIn(join(storage, authorities))).map(async (authority) => {
      const [chainText, keyText] = [await textOf(join(authority, chain)), await textOf(join(authority, key))]
      const described = describeChain(chainText)
      return described === null || keyText === '' ? [] : [{ chain: chainText, key: keyText, described }]
    }),
  )
  return candidates.flat().sort((a, b) => b.described.notAfter.getTime() - a.described.notAfter.getTime())[0] ?? null
}

function rowOf(name: string, state: AcmeState | undefined, obtained: ObtainedCertificate | null): IssuanceTable {
  const { error = null, nextTryAt = null } = state ?? {}
  return {
    name,
    error,
    nextTryAt: nextTryAt?.toISOString() ?? null,
    notAfter: obtained?.described.notAfter.toISOString() ?? null,
  }
}

async function recordIssuances({ db, transact, log }: Runtime, rows: IssuanceTable[]): Promise<void> {
  const before = await db.selectFrom('issuance').selectAll().execute()
  // Rows from SQLite have no prototype, so they never equal other objects. Copies can be equal.
  const changed = rows.filter((row) => !before.some((it) => isDeepStrictEqual({ ...it }, row)))
  const removed = before.filter(({ name }) => !rows.some((row) => row.name === name))
  if (changed.length === 0 && removed.length === 0) return
  await transact(async (tx) => {
    for (const { name } of removed) await tx.deleteFrom('issuance').where('name', '=', name).execute()
    for (const row of changed) {
      await tx
        .insertInto('issuance')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
        .execute()
    }
  })
  for (const { name, error, nextTryAt } of rows) {
    if (error !== null && before.find((row) => row.name === name)?.error !== error) {
      log.warn('ACME issued no certificate', { name, error, nextTryAt })
    }
  }
}

/** Replaces a stored certificate if the proxy has newer, valid certificates for all of its names. */
async function renew(
  runtime: Runtime,
  row: CertificateTable,
  obtained: ReadonlyMap<string, ObtainedCertificate | null>,
  proxy: ProxyChanges,
): Promise<void> {
  const { now, vault, transact, log } = runtime
  const before = describedFrom(row.described)
  const names = [...new Set(before.flatMap((it) => it.names))]
  const ready = names.flatMap((name) => {
    const candidate = obtained.get(name)
    if (candidate == null || !isNewer(candidate.described, before, now())) return []
    const pair = readPair(candidate.chain, candidate.key, now())
    if (!('message' in pair)) return [pair]
    log.warn('a renewed certificate is invalid and was not stored', {
      certificateId: row.id,
      name,
      reason: pair.message,
    })
    return []
  })
  if (ready.length < names.length) return
  const described = JSON.stringify(ready.map(({ chain: _chain, key: _key, ...rest }) => rest))
  const sealed = sealPairs(
    vault,
    row.id,
    ready.map(({ chain, key }) => ({ chain, key })),
  )
  const changes = { described, pairs: sealed, renewedAt: now().toISOString() }
  // Since `row` was read, a call may have removed the certificate and created a new one with the same id.
  const isUnchanged = ({ id, pairs }: CertificateTable) => id === row.id && pairs === row.pairs
  const edit = (rules: Rules) => ({
    ...rules,
    certificates: rules.certificates.map((present) => (isUnchanged(present) ? { ...present, ...changes } : present)),
  })
  await proxy.change(edit, () =>
    transact((tx) =>
      tx.updateTable('certificate').set(changes).where('id', '=', row.id).where('pairs', '=', row.pairs).execute(),
    ),
  )
  log.info('certificate renewed', { certificateId: row.id, names: names.join(' ') })
}

/**
 * Whether a certificate was issued after those in `before` and is not itself due for renewal. Expiry dates are not
 * compared: an authority may issue shorter-lived certificates than the one being replaced.
 */
function isNewer(
  { notBefore, notAfter }: CertificateDescription,
  before: CertificateDescription[],
  now: Date,
): boolean {
  return before.every((it) => it.notBefore < notBefore) && renewFrom(notBefore, notAfter) > now
}

/** Returns the content of a file, or '' if the file does not exist. */
async function textOf(path: string): Promise<string> {
  try {
    return (await readWhole(createReadStream(path), maxPemBytes, path)).toString()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** Returns the paths of the entries of a folder, or [] if the folder does not exist. */
async function entriesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).map((name) => join(path, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
