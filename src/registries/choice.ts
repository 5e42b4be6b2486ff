/** Which registry has the credentials for an image. Pure. */
import { hostOf, registryOf } from '../lib/registry-client/registry.ts'
import { parseImage } from '../lib/text/image-reference.ts'
import type { RegistryTable } from '../store/schema.ts'

type Address = Pick<RegistryTable, 'registryUrl' | 'imagePrefix'>

/** Whether two registries claim the same images: their hosts and prefixes are equal. */
export const haveSameImages = (a: Address, b: Address): boolean =>
  hostOf(a.registryUrl) === hostOf(b.registryUrl) && (a.imagePrefix ?? '') === (b.imagePrefix ?? '')

/** The length of the prefix, if the image is below it; null: it is not. The empty prefix fits each image of the host. */
export function fitOf({ registryUrl, imagePrefix }: Address, image: string): number | null {
  if (hostOf(registryUrl) !== registryOf(image)) return null
  const prefix = imagePrefix ?? ''
  const path = parseImage(image)?.path ?? ''
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`) ? prefix.length : null
}

/**
 * The registry for an image: of those of its host, the one with the longest prefix that the image begins with. If none fits,
 * the newest one of the host, because its credentials may reach more than its prefix.
 *
 * @param registries the newest first
 */
export function registryFor<T extends Address>(registries: readonly T[], image: string): T | null {
  const fits = registries.map((registry) => ({ registry, fit: fitOf(registry, image) }))
  const best = fits.reduce<(typeof fits)[number] | null>(
    (chosen, one) => (one.fit !== null && one.fit > (chosen?.fit ?? -1) ? one : chosen),
    null,
  )
  if (best !== null) return best.registry
  const host = registryOf(image)
  return registries.find(({ registryUrl }) => host !== null && hostOf(registryUrl) === host) ?? null
}
