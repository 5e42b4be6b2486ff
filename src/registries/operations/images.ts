/** The operation that lists the images of a registry. */
import { z } from 'zod'
import { inspect } from '../../api/contract.ts'
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import { openRegistry } from '../../lib/registry-client/registry.ts'
import { openRegistryPassword } from '../queries.ts'
import { idOf } from '../../api/fields.ts'
import { findRegistry } from '../records.ts'
import { refuseRegistry } from '../sign-in.ts'

const maxTags = 1000
const maxConcurrentRequests = 8

export const images = inspect({
  name: 'registry.images',
  summary: 'List the images of a registry with their tags, in the order of the registry',
  description:
    'Berth requests the list from the registry. Not every registry can list its images: most cloud registries cannot.',
  access: 'user:read',
  input: z.object({
    registryId: idOf('registry'),
    limit: z.coerce
      .number('must be a whole number from 1 to 200')
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(200, 'must be at most 200')
      .default(100)
      .describe('Maximum number of images on a page'),
    cursor: z.string().max(300).optional().describe('The value of the header Berth-Next-Cursor of the previous page'),
  }),
  output: z.array(
    z.object({
      name: z.string().describe('Name of the image without the host of the registry'),
      tags: z.array(z.string()).describe('Tags of the image'),
      isWhole: z
        .boolean()
        .describe(`False if the image has more than ${maxTags} tags. \`tags\` then contains only ${maxTags} of them`),
    }),
  ),
  refusals: ['NOT_FOUND', 'BAD_REQUEST', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT'],
  async run({ db, config, vault, signal, setNextCursor }, { registryId, limit, cursor = null }) {
    const row = await findRegistry(db, registryId)
    using registry = openRegistry(
      { ...row, password: openRegistryPassword(vault, row) },
      { insecure: row.insecure === 1, egress: config.egress },
    )
    const { names, isWhole: isLastPage } = await registry.catalogue(limit, cursor, signal).catch(refuseRegistry)
    const listed = names.map((name) => ({ name, tags: [] as string[], isWhole: true }))
    await forEachConcurrent(listed, maxConcurrentRequests, async (image) => {
      const tags = await registry.tags(image.name, maxTags, signal).catch(refuseRegistry)
      Object.assign(image, { tags: tags.names, isWhole: tags.isWhole })
    })
    if (!isLastPage && names.length > 0) setNextCursor(names.at(-1)!)
    return listed
  },
})
