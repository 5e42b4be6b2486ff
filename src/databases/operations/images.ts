/** Combines `dockerImage` and `registryId` of an input into one image reference. The registry id is not stored. */
import { refuseField } from '../../errors.ts'
import { type ImageAliases, resolveImage } from '../../kinds/images.ts'
import { parseImage } from '../../lib/text/image-reference.ts'
import { hostOf, imageOn } from '../../lib/registry-client/registry.ts'
import { prepared } from '../../store/prepared.ts'
import type { Reader } from '../../store/schema.ts'
import { Id } from '../../api/fields.ts'

/** The `registryId` field of every operation that takes a dockerImage. */
export const RegistryId = Id.optional().describe(
  'Id of the registry that contains dockerImage. Berth prepends the host and the imagePrefix of the registry to ' +
    'dockerImage, which must not name a registry itself.',
)

const registryById = prepared((db, id: string) =>
  db.selectFrom('registry').select(['registryUrl', 'imagePrefix']).where('id', '=', id),
)

/**
 * The image reference to store; undefined if the input contains no image.
 *
 * @param image the image of the input
 */
export async function imageFrom<I extends string | undefined>(
  db: Reader,
  aliases: ImageAliases,
  image: I,
  registryId: string | undefined,
): Promise<I | string> {
  if (registryId === undefined) return image
  const [registry] = await registryById(db, registryId)
  if (registry === undefined) {
    refuseField('registryId', 'No registry with this id. registry.all lists every registry', 'NOT_FOUND')
  }
  if (image === undefined) refuseField('registryId', 'requires dockerImage: send both fields, or leave registryId out')
  // Aliases apply to names without a registry. Therefore the alias is resolved before the registry's host is prepended.
  const resolved = resolveImage(image, aliases)
  if (parseImage(resolved)?.registry != null) {
    refuseField('registryId', `must be left out: ${resolved} names its registry itself`)
  }
  const host = hostOf(registry.registryUrl)!
  return (
    imageOn(host, registry.imagePrefix, resolved) ??
    refuseField(
      'registryId',
      `cannot be used with ${resolved}: Docker does not accept the combined name as an image of ${host}. The host ` +
        'must have a dot or a port and no underscore. Host, imagePrefix and image together may have at most 255 ' +
        'characters',
    )
  )
}
