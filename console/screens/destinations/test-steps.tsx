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

type Check = NonNullable<Result['checks']>[number]

const words: Record<Check['check'], string> = {
  resolve: 'Find the address of the endpoint',
  connect: 'Connect to it',
  sign: 'Sign in with the access key',
  write: 'Write a probe object',
  read: 'Read it back',
  list: 'Find it in the list of the bucket',
  delete: 'Delete it',
}

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
      {present.state === 'failed' && <ErrorNotice error={present.error} />}
    </div>
  )
}

const Steps = ({ result: { checks = [], nodes = [] } }: { result: Result }) => (
  <>
    <CheckList checks={checks} />
    {nodes.length > 0 && <NodeList nodes={nodes} />}
  </>
)

type NodeResult = NonNullable<Result['nodes']>[number]

/** Which nodes reach the storage. Dumps of databases on the others go through Berth. */
const NodeList = ({ nodes }: { nodes: NodeResult[] }) => (
  <ul class="test-steps" aria-label="Nodes">
    {nodes.map(({ nodeId, hostname, result, error }) => (
      <li key={nodeId}>
        <div class="run-line">
          <State tone={nodeTones[result]}>{hostname}</State>
          <span class="muted">{nodeTexts[result]}</span>
        </div>
        {error !== null && <p>{error}</p>}
      </li>
    ))}
  </ul>
)

const nodeTones = { reached: 'good', notReached: 'warning', notTested: 'neutral' } as const
const nodeTexts: Record<NodeResult['result'], string> = {
  reached: 'dumps go there directly',
  notReached: 'dumps go through Berth',
  notTested: 'not tested',
}

const CheckList = ({ checks }: { checks: Check[] }) => (
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

const tones = { done: 'good', failed: 'critical', notRun: 'neutral' } as const
const outcomes: Record<Check['result'], string> = { done: 'done', failed: 'failed', notRun: 'not tried' }

/** Tests a destination as it is stored. The mask stands for its secret. */
export function StoredTest({ destination }: { destination: Destination }) {
  const { destinationId, name, accessKey, bucket, region, endpoint, secretAccessKey } = destination
  const input = { destinationId, name, accessKey, bucket, region, endpoint, secretAccessKey }
  return <TestButton text="Test" input={() => input} />
}
