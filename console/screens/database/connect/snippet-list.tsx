/** Programs that connect to the database, to copy. */
import { useSignal } from '@preact/signals'
import { Choices } from '../../../components/choices.tsx'
import { CodeBlock } from '../../../components/copy.tsx'
import { kindLabels } from '../../../data/kinds.ts'
import type { TabProps } from '../view.ts'
import { addressOf, snippetsFor } from './snippets.ts'
import { shellLine } from '../../../../shared/shell-word.ts'

export function Snippets({ kind, record, path }: TabProps) {
  const { internalUrl, externalUrl } = record.connection
  const from = useSignal<'outside' | 'inside'>('outside')
  const chosen = useSignal(0)
  const isInside = externalUrl === null || from.value === 'inside'
  const snippets = snippetsFor(kind, addressOf(isInside ? internalUrl : externalUrl))
  const snippet = snippets[chosen.value] ?? snippets[0]!
  return (
    <section class="card" aria-labelledby="snippets">
      <h2 id="snippets">Connect from a program</h2>
      <div class="tools">
        <Choices
          label="Program"
          choices={snippets.map(({ name }, at) => ({ value: String(at), text: name }))}
          value={String(chosen.value)}
          onChange={(value) => (chosen.value = Number(value))}
        />
        {externalUrl !== null && (
          <Choices
            label="Where the program runs"
            choices={[
              { value: 'outside', text: 'outside the swarm' },
              { value: 'inside', text: "on Berth's network" },
            ]}
            value={from.value}
            onChange={(value) => (from.value = value as 'outside' | 'inside')}
          />
        )}
      </div>
      {externalUrl === null && (
        <p class="hint">The address is that for services on Berth's network, because no external port is open.</p>
      )}
      <CodeBlock text={snippet.text} what={`the program for ${snippet.name}`} />
      <p class="hint">
        The program takes the password from the environment variable <code>DATABASE_PASSWORD</code>, so that it is not
        written into files. On a machine with Berth's command line,{' '}
        <code>{shellLine`berth env ${path} --password`}</code> prints the password of this {kindLabels[kind]} database.
      </p>
    </section>
  )
}
