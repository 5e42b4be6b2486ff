/** Why something failed or has its state. */

/** Begins the list in a message of Berth. */
const lastLines = /\.? Its last lines:$/

/** @param text its first line says what is wrong; further ones, such as the end of a log, are opened on demand */
export function ReasonText({ text }: { text: string }) {
  const [first = '', ...rest] = text.trimEnd().split('\n')
  // A server that has written nothing leaves an announcement without a list.
  if (rest.length === 0) return <p class="reason">{first.replace(lastLines, '')}</p>
  return (
    <details class="reason">
      <summary>{first}</summary>
      <pre class="small">{rest.join('\n')}</pre>
    </details>
  )
}
