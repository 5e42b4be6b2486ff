/** Downloads a dump through Berth. The browser saves the file itself, so a dump may be of any size. */
import { useSignal } from '@preact/signals'
import type { Client } from '../../../../../client/client.ts'
import { Button } from '../../../../components/button.tsx'
import { CodeBlock } from '../../../../components/copy.tsx'
import { ErrorNotice } from '../../../../components/notice.tsx'
import { ShownOnce } from '../../../../components/secrets/shown-once.tsx'
import { TimeOr } from '../../../../components/time.tsx'
import { api } from '../../../../data/api.ts'
import { useQuery } from '../../../../data/live/query.ts'
import { shellLine } from '../../../../../shared/shell-word.ts'

interface Props {
  runId: string
  encrypted: boolean
}

export function Download({ runId, encrypted }: Props) {
  return (
    <div>
      <div class="label">Download</div>
      {/* Without TLS, a browser does not tell Berth that a link is on its own page. */}
      {isSecureContext ? (
        <div class="row">
          <FileLink runId={runId} form="stored">
            {encrypted ? 'As stored (encrypted)' : 'Download the dump'}
          </FileLink>
          {encrypted && <DecryptedLink runId={runId} />}
        </div>
      ) : (
        <CodeBlock what="the download through Berth" text={shellLine`berth backup download ${runId}`} />
      )}
      <p class="hint">
        The file is compressed with zstd. If Berth finds a wrong checksum, the download fails before its end. The audit
        log records that you have downloaded it.
      </p>
      <UrlPart runId={runId} />
    </div>
  )
}

const operation = 'backup.download'

interface LinkProps {
  runId: string
  form: 'stored' | 'decrypted'
  children: string
}

const FileLink = ({ runId, form, children }: LinkProps) => (
  <a class="button small" href={`/api/${operation}?${new URLSearchParams({ runId, form })}`} download>
    {children}
  </a>
)

/** Berth decrypts only dumps for its own identity. */
function DecryptedLink({ runId }: Pick<Props, 'runId'>) {
  const manifest = useQuery('backup.manifest', { runId }, { kinds: [] }).data.value
  const own = useQuery('backup.installationRecipient', {}).data.value
  if (manifest === undefined || own === undefined) return null
  if (manifest.encryptedFor === own.recipient) {
    return (
      <FileLink runId={runId} form="decrypted">
        Decrypted
      </FileLink>
    )
  }
  return (
    <span class="hint">
      Only the owner of its identity can decrypt it: <code>age -d -i IDENTITY-FILE</code>
    </span>
  )
}

/** A URL for another program, which needs neither a session nor the access key. */
function UrlPart({ runId }: Pick<Props, 'runId'>) {
  const answer = useSignal<Awaited<ReturnType<Client['backup']['url']>> | null>(null)
  const error = useSignal<unknown>(null)
  const isBusy = useSignal(false)
  const requestUrl = async () => {
    isBusy.value = true
    error.value = null
    try {
      answer.value = await api.backup.url({ runId })
    } catch (caught) {
      error.value = caught
    } finally {
      isBusy.value = false
    }
  }
  return (
    <div class="stack">
      <div>
        <Button small busy={isBusy.value} onClick={() => void requestUrl()}>
          Make a URL for 15 minutes
        </Button>
      </div>
      {error.value !== null && <ErrorNotice error={error.value} />}
      {answer.value !== null && (
        <>
          <ShownOnce what="the URL" text={answer.value.url} />
          <p class="hint">
            Whoever has it can download the dump from the storage, as stored. It expires{' '}
            <TimeOr at={answer.value.expiresAt} none="" />.
          </p>
        </>
      )}
    </div>
  )
}
