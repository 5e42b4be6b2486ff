/** The fields that say who can connect to a port. */
import type { Signal } from '@preact/signals'
import { type SourceValues, sourceLabels, type Who, whoTexts } from '../../data/forms/sources.ts'
import { Choices } from '../choices.tsx'
import { TextField } from '../forms/fields.tsx'
import { Notice } from '../notice.tsx'

interface Props {
  fields: { [K in keyof SourceValues]: Signal<SourceValues[K]> }
  issue: string | undefined
  choices: readonly Who[]
}

export function SourcesFields({ fields, issue, choices }: Props) {
  const who = fields.who.value
  return (
    <>
      <div class="field">
        <span class="label">{sourceLabels.who}</span>
        <Choices
          label={sourceLabels.who}
          choices={choices.map((value) => ({ value, text: whoTexts[value] }))}
          value={who}
          onChange={(value) => (fields.who.value = value as Who)}
        />
        {who === 'everyone' && (
          <Notice tone="warning">
            <p>Open to everyone: whoever reaches the node can connect, and try passwords.</p>
          </Notice>
        )}
      </div>
      {who === 'listed' && (
        <TextField
          field={fields.allowedSources}
          label={sourceLabels.allowedSources}
          isLong
          isCode
          placeholder={'203.0.113.7\n198.51.100.0/24'}
          hint="One on each line, such as 203.0.113.7 or 198.51.100.0/24. Add your own address if you connect from this machine."
          autoComplete="off"
          issue={issue}
        />
      )}
    </>
  )
}
