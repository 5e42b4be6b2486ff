/** The images of a registry with their tags, as the registry answers them. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Operations, Registry } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Loading } from '../../components/loaded.tsx'
import { ErrorNotice } from '../../components/notice.tsx'
import { Table } from '../../components/table.tsx'
import { api } from '../../data/api.ts'
import { shellLine } from '../../../shared/shell-word.ts'

type Image = Awaited<ReturnType<Operations['registry']['images']>>[number]

const pageSize = 50
const maxTags = 20

export function Images({ registry: { registryId, registryName } }: { registry: Registry }) {
  const images = useSignal<Image[] | null>(null)
  const cursor = useSignal<string | null>(null)
  const error = useSignal<unknown>(null)
  const isBusy = useSignal(true)
  const read = async () => {
    isBusy.value = true
    error.value = null
    try {
      let next: string | null = null
      const from = cursor.peek() === null ? {} : { cursor: decodeURIComponent(cursor.peek()!) }
      const page = await api.registry.images(
        { registryId, limit: pageSize, ...from },
        { onHeaders: (headers) => (next = headers.get('berth-next-cursor')) },
      )
      images.value = [...(images.peek() ?? []), ...page]
      cursor.value = next
    } catch (caught) {
      error.value = caught
    }
    isBusy.value = false
  }
  useEffect(() => void read(), [])
  return (
    <div class="stack">
      {images.value === null && isBusy.value && <Loading what="the images" />}
      {error.value !== null && <ErrorNotice error={error.value} />}
      {images.value?.length === 0 && <p class="muted">The registry has no images yet. Push one with docker push.</p>}
      {images.value !== null && images.value.length > 0 && (
        <Table
          caption={`Images of ${registryName}`}
          columns={[
            { title: 'Image', cell: ({ name }) => <code>{name}</code> },
            { title: 'Tags', cell: (image) => <Tags image={image} /> },
          ]}
          rows={images.value}
          rowKey={({ name }) => name}
        />
      )}
      {cursor.value !== null && (
        <Button small busy={isBusy.value} onClick={() => void read()}>
          Show more images
        </Button>
      )}
      <EqualCalls
        operation="registry.images"
        input={{ registryId, limit: pageSize }}
        command={shellLine`berth registry images ${registryName}`}
      />
    </div>
  )
}

function Tags({ image: { tags, isWhole } }: { image: Image }) {
  const more = tags.length - maxTags
  return (
    <span class="tags">
      {tags.slice(0, maxTags).map((tag) => (
        <code key={tag} class="tag">
          {tag}
        </code>
      ))}
      {tags.length === 0 && <span class="muted">none</span>}
      {more > 0 && (
        <span class="muted">
          and {more} {isWhole ? 'more' : 'or more'}
        </span>
      )}
    </span>
  )
}
