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
  /** A service of this name exists and does not belong to this installation. Berth never changes such a service. */
  | { do: 'conflict'; name: string }

/** Whose services a plan changes. `databaseId` is null for services that belong to no database. */
export interface Owner {
  installationId: string
  databaseId: string | null
}

/**
 * Whether the service belongs to another database of this installation. After a restore of Berth's state, the service
 * of a newer database can have the name that the record of an older one has.
 */
export const isOfOtherDatabase = ({ labels }: NamedService, { installationId, databaseId }: Owner): boolean =>
  isOwnObject(labels, installationId) && databaseId !== null && labels[databaseLabel] !== databaseId

/**
 * Removes only services of `owner`.
 *
 * @param wanted the specifications that should exist
 * @param existing the existing services with the names of `wanted`, and the existing services to remove
 * @returns removals first, because they free ports, then the other changes in the order of `wanted`
 */
export function plan(wanted: ServiceSpec[], existing: NamedService[], owner: Owner): Change[] {
  const { installationId } = owner
  const names = new Set(wanted.map((spec) => spec.name))
  const byName = new Map(existing.map((service) => [service.name, service]))
  const removals = existing
    .filter((service) => !names.has(service.name))
    .filter((service) => isOwnObject(service.labels, installationId) && !isOfOtherDatabase(service, owner))
    .map((service): Change => ({ do: 'remove', name: service.name }))
  return [...removals, ...wanted.flatMap((spec) => changeTo(spec, byName.get(spec.name), installationId))]
}

function changeTo(spec: ServiceSpec, existing: NamedService | undefined, installationId: string): Change[] {
  if (!existing) return [{ do: 'create', spec }]
  if (!isOwnObject(existing.labels, installationId)) return [{ do: 'conflict', name: spec.name }]
  return existing.digest === digestOf(spec) ? [] : [{ do: 'update', spec }]
}
