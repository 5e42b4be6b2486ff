/** Corrects the image or the port of the first database after its deployment has failed, and deploys it again. */
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { TextField } from '../../components/forms/fields.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { ReasonText } from '../../components/reason-text.tsx'
import { useForm } from '../../data/forms/form.ts'
import { callDatabase, type DatabaseRecord, idInput, type Kind } from '../../data/kinds.ts'
import type { Deployment } from '../../data/lists/work.ts'
import { adviceFor } from '../database/state/advice.ts'
import { useRecord } from '../database/view.ts'
import { correctionOf, type Correction } from './first-database.ts'

interface Props {
  kind: Kind
  databaseId: string
  deployment: Deployment
}

export function FirstCorrection({ kind, databaseId, deployment }: Props) {
  const query = useRecord(kind, databaseId)
  const { reason, reasonCode } = deployment
  const advice = adviceFor(reasonCode as DatabaseRecord['statusCode'])
  return (
    <>
      <Notice tone="critical" announce>
        <p>
          <strong>The database did not start.</strong>
        </p>
        {reason !== null && <ReasonText text={reason} />}
        {advice !== null && <p>{advice.text}</p>}
      </Notice>
      <Loaded query={query} what="the database">
        {(record) => <CorrectionForm kind={kind} databaseId={databaseId} record={record} />}
      </Loaded>
    </>
  )
}

function CorrectionForm({ kind, databaseId, record }: Omit<Props, 'deployment'> & { record: DatabaseRecord }) {
  const { dockerImage, externalPort } = record
  const form = useForm<Correction>({ dockerImage, externalPort: externalPort === null ? '' : String(externalPort) })
  const { fields, issues } = form
  const change = correctionOf(
    { dockerImage: fields.dockerImage.value, externalPort: fields.externalPort.value },
    record,
  )
  const isChanged = Object.keys(change).length > 0
  const deploy = async () => {
    if (isChanged) await callDatabase(kind, 'update', databaseId, change)
    await callDatabase(kind, 'deploy', databaseId)
  }
  return (
    <>
      <FormBox form={form} submit="Deploy again" onSubmit={deploy}>
        <TextField
          field={fields.dockerImage}
          label="Image"
          isCode
          autoComplete="off"
          issue={issues.value.dockerImage}
        />
        <TextField
          field={fields.externalPort}
          label="Port"
          inputMode="numeric"
          required={false}
          autoComplete="off"
          hint="A number that nothing else on the machine uses. Empty: only applications in the swarm reach the database."
          issue={issues.value.externalPort}
        />
      </FormBox>
      <EqualCalls
        operation={`${kind}.${isChanged ? 'update' : 'deploy'}`}
        input={{ ...idInput(kind, databaseId), ...change }}
      />
    </>
  )
}
