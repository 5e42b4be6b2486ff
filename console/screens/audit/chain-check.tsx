/** Checks that no entry of the audit log was changed, and says what the check proves. */
import { useSignal } from '@preact/signals'
import type { Operations } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { InlineCopy } from '../../components/copy.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { ErrorNotice, Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { countText } from '../../data/format.ts'

type Check = Awaited<ReturnType<Operations['audit']['check']>>

export function ChainCheck() {
  const check = useSignal<Check | null>(null)
  const error = useSignal<unknown>(null)
  const isBusy = useSignal(false)
  const run = async () => {
    isBusy.value = true
    error.value = null
    try {
      check.value = await api.audit.check()
    } catch (caught) {
      error.value = caught
    }
    isBusy.value = false
  }
  return (
    <section class="card" aria-labelledby="chain">
      <div class="card-head">
        <h2 id="chain">Is the log complete?</h2>
        <Button busy={isBusy.value} onClick={() => void run()}>
          Check the whole log
        </Button>
      </div>
      <p class="muted">
        Each entry contains a checksum of itself and of all entries before it. Whoever changes, inserts or removes one
        in the middle breaks the chain from there on.
      </p>
      {error.value !== null && <ErrorNotice error={error.value} />}
      {check.value !== null && <CheckResult check={check.value} />}
      <EqualCalls operation="audit.check" input={{}} command="berth audit --check" />
    </section>
  )
}

function CheckResult({ check: { valid, entries, brokenAt, head } }: { check: Check }) {
  return (
    <Notice tone={valid ? 'good' : 'critical'} announce>
      <p>
        <strong>
          {valid
            ? `The chain is whole: ${countText(entries, 'entry', 'entries')} checked.`
            : `The chain is broken at entry ${brokenAt}. This entry, or one before it, was changed, inserted or removed.`}
        </strong>
      </p>
      <p>
        The check cannot see that entries were cut off at the beginning or at the end. To detect a cut at the end, keep
        the last entry outside of Berth, and look for it in the log after a later check:
      </p>
      {head !== null && <InlineCopy text={`${head.auditId} ${head.hash}`} what="the last entry" />}
    </Notice>
  )
}
