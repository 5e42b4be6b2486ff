/** Why something failed or has its state. */

/** @param text its first line says what is wrong; further ones, such as the end of a log, are opened on demand */
export function ReasonText({ text }: { text: string }) {
  const [first = '', ...rest] = text.split('\n')
  if (rest.length === 0) return <p class="reason">{first}</p>
  return (
    <details class="reason">
      <summary>{first}</summary>
      <pre class="small">{rest.join('\n')}</pre>
    </details>
  )
}
