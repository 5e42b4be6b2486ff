/** Edits the labels of a node. A database can ask for a node by a label, such as disk=ssd. */
import { useSignal } from '@preact/signals'
import type { Node } from '../../../client/client.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { EqualCalls } from '../../components/forms/equal-calls.tsx'
import { FormBox } from '../../components/forms/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { api } from '../../data/api.ts'
import { useForm } from '../../data/forms/form.ts'
import { isSameLabels, labelsOf, labelsText, type LabelRow, rowsOf } from './label-rows.ts'

export function LabelsDialog({ node, onClose }: { node: Node; onClose: () => void }) {
  const form = useForm<{ labels: LabelRow[] }>({ labels: rowsOf(node.labels) })
  // What the person has begun with. Berth replaces all labels, so a change by somebody else has to be seen.
  const began = useSignal(node.labels)
  const { labels: field } = form.fields
  const result = labelsOf(field.value)
  const hasConflict = !isSameLabels(began.value, node.labels)
  const takeTheirs = () => {
    began.value = node.labels
    form.reset({ labels: rowsOf(node.labels) })
  }
  const input = { nodeId: node.id, labels: result.labels }
  return (
    <Dialog title={`Labels of ${node.hostname}`} onClose={onClose}>
      <p class="hint">
        A label describes the node, such as <code>disk=ssd</code>. A new database can ask for a node with a certain
        label. Databases that exist do not move.
      </p>
      <FormBox
        form={form}
        submit={hasConflict ? 'Save and write over theirs' : 'Save the labels'}
        unavailable={result.wrong ?? (isSameLabels(result.labels, node.labels) ? 'Nothing has changed' : null)}
        onSubmit={() => api.cluster.updateNode(input)}
        onDone={onClose}
        onCancel={onClose}
      >
        {hasConflict && (
          <Notice tone="warning" announce>
            <p>
              <strong>The labels have changed since you opened them.</strong> They are now{' '}
              <code>{labelsText(node.labels)}</code>. Yours are still here.
            </p>
            <Button small onClick={takeTheirs}>
              Use theirs
            </Button>
          </Notice>
        )}
        <LabelRows rows={field.value} onChange={(rows) => (field.value = rows)} />
        {form.issues.value.labels !== undefined && <p class="wrong">{form.issues.value.labels}</p>}
        {result.wrong !== null && <p class="wrong">{result.wrong}</p>}
        <EqualCalls operation="cluster.updateNode" input={input} />
      </FormBox>
    </Dialog>
  )
}

function LabelRows({ rows, onChange }: { rows: LabelRow[]; onChange: (rows: LabelRow[]) => void }) {
  const change = (at: number, part: Partial<LabelRow>) =>
    onChange(rows.map((row, each) => (each === at ? { ...row, ...part } : row)))
  return (
    <fieldset class="stack">
      <legend class="label">Labels</legend>
      {rows.length === 0 && <p class="muted">The node has no labels.</p>}
      {rows.map((row, at) => (
        <div key={at} class="label-row">
          <input
            class="input mono"
            aria-label={`Name of label ${at + 1}`}
            placeholder="disk"
            value={row.name}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
          />
          <span aria-hidden="true">=</span>
          <input
            class="input mono"
            aria-label={`Value of label ${at + 1}`}
            placeholder="ssd"
            value={row.value}
            onInput={(event) => change(at, { value: event.currentTarget.value })}
          />
          <Button small label={`Remove label ${row.name || at + 1}`} onClick={() => onChange(rows.toSpliced(at, 1))}>
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button small onClick={() => onChange([...rows, { name: '', value: '' }])}>
          Add a label
        </Button>
      </div>
    </fieldset>
  )
}
