/** Removes a registry from Berth. */
import { useSignal } from '@preact/signals'
import type { Registry } from '../../../client/client.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { CheckField } from '../../components/forms/fields.tsx'
import { api } from '../../data/api.ts'
import { shellLine } from '../../../shared/shell-word.ts'

export function RemoveRegistry({ registry, onClose }: { registry: Registry; onClose: () => void }) {
  const { registryId, registryName, server } = registry
  const force = useSignal(false)
  const input = { registryId, ...(force.value ? { force: true } : {}) }
  return (
    <ConfirmDialog
      title={`Remove the registry ${registryName}`}
      action="Remove the registry"
      phrase={registryName}
      onClose={onClose}
      run={() => api.registry.remove(input)}
    >
      <p>
        {server === null
          ? 'Berth forgets the address and the credentials. The images at the registry stay.'
          : 'The registry stops. Its images stay in its volume, and are there again if you run your own registry again.'}
      </p>
      <p>Berth refuses this while databases use images of the registry: they could not be pulled again.</p>
      <CheckField field={force} label="Remove it even if databases use its images" />
      <EqualCalls
        operation="registry.remove"
        input={input}
        command={shellLine`berth registry rm ${registryName}${force.value ? ['--force'] : []}`}
      />
    </ConfirmDialog>
  )
}
