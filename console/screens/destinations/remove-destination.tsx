/** Asks before a destination is removed. */
import type { Destination } from '../../../client/client.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'

interface Props {
  destination: Destination
  isUsed: boolean
  onClose: () => void
}

export const RemoveDestination = ({ destination, isUsed, onClose }: Props) => (
  <ConfirmDialog
    title={`Remove ${destination.name}`}
    action="Remove the destination"
    phrase={destination.name}
    onClose={onClose}
    run={() => api.destination.remove({ destinationId: destination.destinationId })}
  >
    {isUsed && (
      <Notice tone="warning">
        <p>Backups use this destination, so Berth refuses to remove it. Change or remove the backups first.</p>
      </Notice>
    )}
    <p>
      The objects in <code>{destination.bucket}</code> stay. Berth forgets the address and the keys, and can no longer
      list or restore the dumps until the destination is added again.
    </p>
  </ConfirmDialog>
)
