/**
 * Plans the changes that bring the services of the swarm to their wanted specifications, by comparing digests. Pure.
 */
import type { NamedService } from './engine.ts'
import { isOurs } from './labels.ts'
import { digestOf } from './spec.ts'
import type { ServiceSpec } from './spec.ts'

export type Change =
  | { do: 'create' | 'update'; spec: ServiceSpec }
  | { do: 'remove'; name: string }
  /** Someone else's service has the name. Berth never adopts or changes such a service. */
  | { do: 'conflict'; name: string }

/**
 * @param wanted the specifications that should exist
 * @param found the existing services with the names of `wanted`, and those of services that are to be removed
 * @returns removals first, because they free ports, then the other changes in the order of `wanted`
 */
export function plan(wanted: ServiceSpec[], found: NamedService[], installationId: string): Change[] {
  const names = new Set(wanted.map((spec) => spec.name))
  const byName = new Map(found.map((service) => [service.name, service]))
  const removals = found
    .filter((service) => !names.has(service.name) && isOurs(service.labels, installationId))
    .map((service): Change => ({ do: 'remove', name: service.name }))
  return [...removals, ...wanted.flatMap((spec) => changeTo(spec, byName.get(spec.name), installationId))]
}

function changeTo(spec: ServiceSpec, found: NamedService | undefined, installationId: string): Change[] {
  if (!found) return [{ do: 'create', spec }]
  if (!isOurs(found.labels, installationId)) return [{ do: 'conflict', name: spec.name }]
  return found.digest === digestOf(spec) ? [] : [{ do: 'update', spec }]
}
