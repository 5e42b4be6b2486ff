/** Deletes a kept volume with its data. */
import type { Volume } from '../../../client/client.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { Notice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { contentText } from './content-text.ts'
import { shellLine } from '../../../shared/shell-word.ts'

export function RemoveVolume({ volume, onClose }: { volume: Volume; onClose: () => void }) {
  const { volumeId, appName, node, keptAt } = volume
  return (
    <ConfirmDialog
      title={`Remove the volume of ${appName}`}
      action="Remove the volume and its data"
      phrase={appName}
      onClose={onClose}
      run={() => api.volume.remove({ volumeId })}
    >
      <Notice tone="critical">
        <p>
          <strong>
            All data of {appName} in this volume is lost for good: {contentText(volume)} on {node}
            {keptAt !== null && (
              <>
                , kept <Time at={keptAt} />
              </>
            )}
            .
          </strong>
        </p>
        <p>Dumps at backup destinations stay. Nothing else is removed.</p>
      </Notice>
      <p>The list shows the removal until the node has deleted the volume.</p>
      <EqualCalls operation="volume.remove" input={{ volumeId }} command={shellLine`berth volume rm ${appName}`} />
    </ConfirmDialog>
  )
}
