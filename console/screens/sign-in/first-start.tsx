/** The first start: the administrator, a second factor, then the first database with its connection string. */
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { State } from '../../components/state.tsx'
import { kinds } from '../../data/kinds.ts'
import { session } from '../../data/session.ts'
import { SecondFactorSetup } from '../account/second-factor-setup.tsx'
import { AdministratorForm } from './administrator-form.tsx'
import { FirstDatabaseForm } from './first-database-form.tsx'
import { FirstDeployment, type FirstDeploymentProps, useFirstDeployment } from './first-deployment.tsx'
import { Gate } from './gate.tsx'

/** The steps after the first have addresses, so that a reload goes on where it was. */
export const welcomePath = '/welcome'
const databaseStep = `${welcomePath}/database`

const steps = ['Administrator', 'Second factor', 'First database', 'Connection'] as const
type Step = 0 | 1 | 2 | 3

const Steps = ({ current }: { current: Step }) => (
  <ol class="start-steps" aria-label="Steps of the first start">
    {steps.map((text, step) => (
      <li key={text} aria-current={step === current ? 'step' : undefined}>
        {step < current ? <State tone="good">{text}</State> : `${step + 1}. ${text}`}
      </li>
    ))}
  </ol>
)

export default function FirstStart() {
  const [path, go] = useLocation()
  const [, , , kindName, databaseId] = path.split('/')
  const kind = kinds.find((each) => each === kindName)
  const toOverview = () => go('/', { replace: true })
  if (session.value.state !== 'signedIn') {
    return (
      <Gate title="Welcome to Berth" isWide head={<Steps current={0} />}>
        <AdministratorForm onDone={() => go(welcomePath, { replace: true })} />
      </Gate>
    )
  }
  if (kind !== undefined && databaseId !== undefined) {
    return <DeploymentStep key={databaseId} kind={kind} databaseId={databaseId} onDone={go} />
  }
  if (path.startsWith(databaseStep)) {
    return (
      <Gate title="Your first project and database" isWide head={<Steps current={2} />}>
        <FirstDatabaseForm
          onCreated={(kind, id) => go(`${databaseStep}/${kind}/${id}`, { replace: true })}
          onSkip={toOverview}
        />
      </Gate>
    )
  }
  return (
    <Gate title="Protect your account" isWide head={<Steps current={1} />}>
      <FactorStep onDone={() => go(databaseStep, { replace: true })} />
    </Gate>
  )
}

/** The step of the database is done when its deployment has succeeded. */
function DeploymentStep(props: FirstDeploymentProps) {
  const [deployment] = useFirstDeployment(props.databaseId).data.value ?? []
  return (
    <Gate title="Your first database" isWide head={<Steps current={deployment?.state === 'done' ? 3 : 2} />}>
      <FirstDeployment {...props} />
    </Gate>
  )
}

function FactorStep({ onDone }: { onDone: () => void }) {
  const [path, go] = useLocation()
  if (path === `${welcomePath}/factor`) return <SecondFactorSetup cancel="Not now" onCancel={onDone} onDone={onDone} />
  return (
    <>
      <p>
        An administrator of Berth can read and remove every database. With a second factor, a stolen password alone is
        worth nothing: each sign-in also needs a code of an app on your phone.
      </p>
      <div class="buttons">
        <Button kind="primary" onClick={() => go(`${welcomePath}/factor`, { replace: true })}>
          Set up the second factor
        </Button>
        <Button onClick={onDone}>Not now</Button>
      </div>
      <p class="hint">You can do this later under your account.</p>
    </>
  )
}
