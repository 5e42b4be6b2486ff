/** Tests a destination and shows each step: a probe object is written, read back, listed and deleted. */
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

type Check = NonNullable<Result['checks']>[number]

const words: Record<Check['check'], string> = {
  resolve: 'Find the address of the host',
  connect: 'Connect to it',
  sign: 'Sign in',
  write: 'Write a probe object',
  read: 'Read it back',
  list: 'Find it in the list of objects',
  delete: 'Delete it',
}

interface Props {
  /** The values to test, as they are now. */
  input: () => DestinationInput
  text: string
  /** Takes the host key that a server shows, after the person has compared it. */
  onHostKey?: (hostKey: string) => void
}

export function TestButton({ input, text, onHostKey }: Props) {
  const test = useSignal<TestState>({ state: 'ready' })
  const run = async () => {
    test.value = { state: 'busy' }
    try {
      test.value = { state: 'done', result: await api.destination.testConnection({ ...input(), report: true }) }
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
      {present.state === 'done' && present.result.hostKey !== undefined && onHostKey !== undefined && (
        <HostKey hostKey={present.result.hostKey} onAccept={onHostKey} />
      )}
      {present.state === 'failed' && <ErrorNotice error={present.error} />}
    </div>
  )
}

const Steps = ({ result: { checks = [] } }: { result: Result }) => (
  <ol class="test-steps" aria-live="polite">
    {checks.map((step) => (
      <li key={step.check}>
        <div class="run-line">
          <State tone={tones[step.result]}>{words[step.check]}</State>
          <span class="muted">
            {outcomes[step.result]}
            {step.tookMs !== null && ` in ${durationText(step.tookMs)}`}
          </span>
        </div>
        {step.error !== null && <p>{step.error}</p>}
      </li>
    ))}
  </ol>
)

interface HostKeyProps {
  hostKey: string
  onAccept: (hostKey: string) => void
}

const HostKey = ({ hostKey, onAccept }: HostKeyProps) => (
  <p>
    Compare <code>{hostKey}</code> with the key on the server.{' '}
    <Button small onClick={() => onAccept(hostKey)}>
      The server has this key
    </Button>
  </p>
)

const tones = { done: 'good', failed: 'critical', notRun: 'neutral' } as const
const outcomes: Record<Check['result'], string> = { done: 'done', failed: 'failed', notRun: 'not tried' }

/** Tests a destination as it is stored. The mask stands for its secret. */
export function StoredTest({ destination }: { destination: Destination }) {
  const { createdAt: _, ...input } = destination
  return <TestButton text="Test" input={() => input} />
}
