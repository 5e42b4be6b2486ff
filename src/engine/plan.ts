/**
 * Compares the digests of services with their wanted specifications, and plans the changes that are necessary. Pure.
 */
import type { NamedService } from './engine.ts'
import { databaseLabel, isOwnObject } from './labels.ts'
import { digestOf } from './spec.ts'
import type { ServiceSpec } from './spec.ts'

export type Change =
  | { do: 'create' | 'update'; spec: ServiceSpec }
  | { do: 'remove'; name: string }
  /** A service of this name exists and does not belong to the owner. Berth never changes such a service. */
  | { do: 'conflict'; name: string }

/** Whose services a plan changes. `databaseId` is null for services that belong to no database. */
export interface Owner {
  installationId: string
  databaseId: string | null
}

/**
 * Whose a service is. `own`: the owner's. `other`: another record's of this installation; after a restore of Berth's
 * state, the service of a newer database can have the name that the record of an older one has. `foreign`: this
 * installation did not create the service.
 */
export type Ownership = 'own' | 'other' | 'foreign'

export function ownershipOf(
  { labels }: Pick<NamedService, 'labels'>,
  { installationId, databaseId }: Owner,
): Ownership {
  if (!isOwnObject(labels, installationId)) return 'foreign'
  return (labels[databaseLabel] ?? null) === databaseId ? 'own' : 'other'
}

/**
 * Removes only services of `owner`.
 *
 * @param wanted the specifications that should exist
 * @param existing the existing services with the names of `wanted`, and the existing services to remove
 * @returns removals first, because they free ports, then the other changes in the order of `wanted`
 */
export function plan(wanted: ServiceSpec[], existing: NamedService[], owner: Owner): Change[] {
  const names = new Set(wanted.map((spec) => spec.name))
  const byName = new Map(existing.map((service) => [service.name, service]))
  const removals = existing
    .filter((service) => !names.has(service.name))
    .filter((service) => ownershipOf(service, owner) === 'own')
    .map((service): Change => ({ do: 'remove', name: service.name }))
  return [...removals, ...wanted.flatMap((spec) => changeTo(spec, byName.get(spec.name), owner))]
}

function changeTo(spec: ServiceSpec, existing: NamedService | undefined, owner: Owner): Change[] {
  if (!existing) return [{ do: 'create', spec }]
  if (ownershipOf(existing, owner) !== 'own') return [{ do: 'conflict', name: spec.name }]
  return existing.digest === digestOf(spec) ? [] : [{ do: 'update', spec }]
}
