/**
 * What is to be done so that the swarm is as wanted. Pure: compares digests, decides, does nothing.
 * Knows neither the store nor the engine's API.
 */
import type { NamedService } from './engine.ts'
import { isOurs } from './labels.ts'
import { digestOf } from './spec.ts'
import type { ServiceSpec } from './spec.ts'

export type Change =
  | { do: 'create' | 'update'; spec: ServiceSpec }
  | { do: 'remove'; name: string }
  /** The name is taken by a service of someone else's, which is never adopted. */
  | { do: 'conflict'; name: string }

/**
 * `found` holds the services of the names in question: those wanted, and those that are wanted no longer.
 * Removals come first, so that their ports are free; the rest keeps the order of `wanted`.
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
