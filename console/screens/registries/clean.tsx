/** Deletes what no tag of an own registry needs any more. */
import { useSignal } from '@preact/signals'
import type { Registry } from '../../../client/client.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField } from '../../components/forms/fields.tsx'
import { api } from '../../data/api.ts'
import { shellLine } from '../../../shared/shell-word.ts'

export function CleanDialog({ registry, onClose }: { registry: Registry; onClose: () => void }) {
  const untagged = useSignal(false)
  const input = { registryId: registry.registryId, ...(untagged.value ? { untagged: true } : {}) }
  return (
    <ConfirmDialog
      title="Delete unused data of the registry"
      action="Delete unused data"
      phrase={null}
      isDangerous={untagged.value}
      onClose={onClose}
      run={() => api.registry.collectGarbage(input)}
    >
      <p>
        Layers that no image needs are deleted (garbage collection). The registry restarts twice and refuses pushes
        meanwhile; pulls work. The card of the registry shows how much was deleted.
      </p>
      <CheckField
        field={untagged}
        label="Also delete images without a tag"
        hint={
          'This may delete the image of a database, which then cannot start on a node without a copy. ' +
          'Do not use it with images for several platforms.'
        }
      />
      <EqualCalls
        operation="registry.collectGarbage"
        input={input}
        command={shellLine`berth registry clean ${registry.registryName}${untagged.value ? ['--untagged'] : []}`}
      />
    </ConfirmDialog>
  )
}
