/** Tests a bucket and shows each step: a probe object is written, read back, listed and deleted. */
import { useSignal } from '@preact/signals'
import type { Destination } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/notice.tsx'
import { State } from '../../components/state.tsx'
import { api } from '../../data/api.ts'
import { durationText } from '../../data/format.ts'
import { isAdmin } from '../../data/session.ts'
import type { DestinationInput } from './destination-form.tsx'

type Result = Awaited<ReturnType<typeof api.destination.testConnection>>
type TestState =
  | { state: 'ready' }
  | { state: 'busy' }
  | { state: 'done'; result: Result }
  | { state: 'failed'; error: unknown }

const steps = [
  { did: 'write', words: 'Write a probe object' },
  { did: 'read', words: 'Read it back' },
  { did: 'list', words: 'Find it in the list of the bucket' },
  { did: 'delete', words: 'Delete it' },
] as const

interface Props {
  /** The values to test, as they are now. */
  input: () => DestinationInput
  text: string
}

export function TestButton({ input, text }: Props) {
  const test = useSignal<TestState>({ state: 'ready' })
  const run = async () => {
    test.value = { state: 'busy' }
    try {
      test.value = { state: 'done', result: await api.destination.testConnection(input()) }
    } catch (error) {
      test.value = { state: 'failed', error }
    }
  }
  const present = test.value
  return (
    <div class="stack">
      <Button
        small
        busy={present.state === 'busy'}
        unavailable={isAdmin() ? null : 'Only administrators may test destinations'}
        onClick={() => void run()}
      >
        {text}
      </Button>
      {present.state === 'busy' && (
        <p class="muted" role="status">
          Testing: Berth writes a probe object, reads it back, lists it and deletes it. It takes at most 15 seconds.
        </p>
      )}
      {present.state === 'done' && <Steps result={present.result} />}
      {present.state === 'failed' && (
        <ErrorNotice error={present.error}>
          <p>The test stopped there. Nothing was stored.</p>
        </ErrorNotice>
      )}
    </div>
  )
}

const Steps = ({ result }: { result: Result }) => (
  <ol class="steps" aria-live="polite">
    {steps.map(({ did, words }) => {
      const step = result.steps.find((each) => each.did === did)
      return (
        <li key={did} class="run-line">
          {step === undefined ? (
            <State tone="neutral">{words}: not done</State>
          ) : (
            <>
              <State tone="good">{words}</State> <span class="muted">took {durationText(step.tookMs)}</span>
            </>
          )}
        </li>
      )
    })}
  </ol>
)

/** Tests a destination as it is stored. The mask stands for its secret. */
export function StoredTest({ destination }: { destination: Destination }) {
  const { destinationId, name, accessKey, bucket, region, endpoint, secretAccessKey } = destination
  const input = { destinationId, name, accessKey, bucket, region, endpoint, secretAccessKey }
  return <TestButton text="Test" input={() => input} />
}
