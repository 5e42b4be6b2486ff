/** All that is known about a dump: its key and checksum, and how to download it through Berth and without it. */
import { useSignal } from '@preact/signals'
import type { Run } from '../../../../../client/client.ts'
import { CodeBlock, InlineCopy } from '../../../../components/copy.tsx'
import { Dialog } from '../../../../components/dialog.tsx'
import { TimeOr } from '../../../../components/time.tsx'
import { fetchCommand } from '../../../destinations/fetch-command.ts'
import { bytesText, numberText } from '../../../../data/format.ts'
import { useQuery } from '../../../../data/live/query.ts'
import { Download } from './download.tsx'
import { Findings } from './findings.tsx'
import { Manifest } from './manifest.tsx'
import { ProofState } from './proof.tsx'
import { runTitle } from '../../../../data/work-words.ts'
import { isGoodDump, proofOf, proofWords } from './words.ts'

interface Props {
  run: Run
  destinationId: string | null
  onClose: () => void
}

export function RunDialog({ run, destinationId, onClose }: Props) {
  const proof = proofOf(run)
  return (
    <Dialog title={`${runTitle(run)} of ${run.database}`} onClose={onClose}>
      <p>
        <ProofState proof={proof} />
      </p>
      <p class="muted">{proofWords[proof].explanation}</p>
      <dl class="facts">
        <dt>Begun</dt>
        <dd>
          <TimeOr at={run.startedAt} none="not yet" />
        </dd>
        <dt>Verified by a restore</dt>
        <dd>
          <TimeOr at={run.verifiedAt} none="never" />
        </dd>
        {run.verificationReason !== null && (
          <>
            <dt>Last test</dt>
            <dd>{run.verificationReason}</dd>
          </>
        )}
        <dt>Size in the bucket</dt>
        <dd>{run.sizeBytes === null ? 'unknown' : exactBytes(run.sizeBytes)}</dd>
        <dt>Before compression</dt>
        <dd>{run.rawBytes === null ? 'unknown' : exactBytes(run.rawBytes)}</dd>
        <dt>Rows</dt>
        <dd>{run.rowCount === null ? 'not counted' : numberText(run.rowCount)}</dd>
        <dt>Encrypted</dt>
        <dd>{run.encrypted ? 'yes, with age' : 'no: everybody who can read the bucket can read the dump'}</dd>
        <dt>Id of the run</dt>
        <dd>
          <code>{run.runId}</code>
        </dd>
      </dl>
      {run.sha256 !== null && (
        <div>
          <div class="label">SHA-256 checksum of the object</div>
          <InlineCopy text={run.sha256} what="the checksum" />
        </div>
      )}
      <Findings findings={run.findings} count={run.findingCount} />
      <ManifestPart runId={run.runId} />
      {isGoodDump(run) && <Download runId={run.runId} encrypted={run.encrypted} />}
      {run.key !== null && <WhereItIs objectKey={run.key} destinationId={destinationId} />}
    </Dialog>
  )
}

/** The manifest may be large, so it is read when the part is opened. */
function ManifestPart({ runId }: { runId: string }) {
  const isOpen = useSignal(false)
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>What the dump contains (its manifest)</summary>
      {isOpen.value && <Manifest runId={runId} />}
    </details>
  )
}

const exactBytes = (bytes: number) => `${bytesText(bytes)} (${numberText(bytes)} bytes)`

/** The key in the bucket, and a command that fetches the dump with its manifest. */
function WhereItIs({ objectKey, destinationId }: { objectKey: string; destinationId: string | null }) {
  const { data } = useQuery('destination.all', {})
  const destination = data.value?.find((each) => each.destinationId === destinationId)
  return (
    <>
      <div>
        <div class="label">Key of the object</div>
        <InlineCopy text={objectKey} what="the key" />
        <p class="hint">
          The manifest lies beside it, as <code>{objectKey}.json</code>: the tables with their rows and checksums, the
          image and the settings. With it, another Berth can restore the dump.
        </p>
      </div>
      {destination !== undefined && (
        <div>
          <div class="label">Download without Berth</div>
          <CodeBlock
            what="the download"
            text={['', '.json'].map((end) => fetchCommand(destination, `${objectKey}${end}`, '.')).join('\n')}
          />
        </div>
      )}
    </>
  )
}
