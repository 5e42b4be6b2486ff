/** The chapter of the reference page about the stream of events. */
import { z } from 'zod'
import { EventsQuery, eventsPath } from '../events.ts'
import { fieldTable } from './fields.ts'
import { type Html, html } from './html.ts'
import { examples } from './operation.ts'

export const events = (): Html => html`
<p><span class="tag get">GET</span> <code>${eventsPath}</code> streams the changes of records that the token may
read, as Server-Sent Events. Each event has an <code>id</code>, and as <code>data</code> a JSON object with
<code>kind</code>, <code>recordId</code>, <code>change</code> (created, changed or removed), <code>projectId</code> and
<code>record</code>. Messages without data give the position.</p>
${examples({
  curl: `curl -sSN -G "$BERTH_URL${eventsPath}" \\
  -H "Authorization: Bearer $BERTH_TOKEN" \\
  --data-urlencode 'kind=database,run'`,
  client: `const events = berth.events({ kinds: ['database', 'run'] })
for await (const event of events) {
  console.log(event)
}`,
  command: 'berth events --kind database,run',
})}
<p>After a break, send the last id in the header <code>Last-Event-ID</code>: the stream goes on without a gap. Berth keeps
events for a day. If the id is older, or your rights may have changed since, an event is <code>reset</code>: read your
records again. The client and the command line do this by themselves.</p>
<p>The query can have these parameters:</p>
${fieldTable(z.toJSONSchema(EventsQuery, { io: 'input', unrepresentable: 'any' }), false)}`
