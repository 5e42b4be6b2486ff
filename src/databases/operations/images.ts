/** Resolves `dockerImage` and `registryId` of an input to one image reference. The registry id itself is not stored. */
import { refuseField } from '../../errors.ts'
import { type ImageAliases, resolveImage } from '../../kinds/images.ts'
import { parseImage } from '../../lib/text/image-reference.ts'
import { hostOf, imageOn } from '../../lib/registry-client/registry.ts'
import { prepared } from '../../store/prepared.ts'
import type { Reader } from '../../store/schema.ts'
import { Id } from '../../api/fields.ts'

/** The `registryId` field of every operation that takes a dockerImage. */
export const FromRegistry = Id.optional().describe(
  'Of a registry that dockerImage comes from: its host and its ' +
    'imagePrefix are put before the image, which names no registry itself',
)

const registryById = prepared((db, id: string) =>
  db.selectFrom('registry').select(['registryUrl', 'imagePrefix']).where('id', '=', id),
)

/**
 * The image reference to store.
 *
 * @param image undefined keeps the stored image
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
    refuseField('registryId', 'There is no such registry. registry.all lists those there are', 'NOT_FOUND')
  }
  if (image === undefined) refuseField('registryId', 'goes with dockerImage: give the image as well, or leave it out')
  // Some default images exist in no registry. Their alias applies only to the name without a registry.
  const wanted = resolveImage(image, aliases)
  if (parseImage(wanted)?.registry != null) {
    refuseField('registryId', `must be left out: ${wanted} names its registry itself`)
  }
  const host = hostOf(registry.registryUrl)!
  return (
    imageOn(host, registry.imagePrefix, wanted) ??
    refuseField(
      'registryId',
      `is of no use for ${wanted}: Docker ` +
        `would not take it for an image of ${host}. A host needs a dot or a port and no underscore, and with ` +
        'imagePrefix and image at most 255 characters',
    )
  )
}
