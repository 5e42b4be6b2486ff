/** The guide at the top of the reference page: how to start, and the rules that apply to all operations. */
import { callers, canCall } from '../../api/access.ts'
import type { Operation } from '../../api/contract.ts'
import { type Code, statusOf } from '../../errors.ts'
import { maxWaitSeconds } from '../headers.ts'
import { errorDescriptions } from '../reference.ts'
import { accessTable } from './access.ts'
import { events } from './events.ts'
import { type Html, html } from './html.ts'
import { copyable, examples } from './operation.ts'

interface Chapter {
  id: string
  title: string
  text: Html
}

export function chapters(operations: readonly Operation[]): Chapter[] {
  return [
    { id: 'begin', title: 'Getting started', text: begin },
    { id: 'tokens', title: 'Tokens', text: tokens(operations) },
    { id: 'access', title: 'Access', text: accessTable(operations) },
    { id: 'calls', title: 'Requests and answers', text: calls },
    { id: 'waiting', title: 'Long-running work', text: waiting },
    { id: 'events', title: 'Events', text: events() },
    { id: 'errors', title: 'Errors', text: errors },
  ]
}

const begin = html`
<p>Every call is an HTTP request to <code>/api/&lt;group&gt;.&lt;operation&gt;</code>:
<span class="tag get">GET</span> operations read, <span class="tag post">POST</span> operations change something.
Each operation has an example for <code>curl</code>, for the TypeScript client (package <code>berth-client</code>) and for
the command line. Begin with the address and a token:</p>
${examples({
  curl: 'export BERTH_URL=http://127.0.0.1:3000\nexport BERTH_TOKEN=…',
  client: `import { createClient } from 'berth-client'

const berth = createClient({
  url: 'http://127.0.0.1:3000',
  token: process.env.BERTH_TOKEN,
})`,
  command: `berth login http://127.0.0.1:3000
berth token create pipeline --scope deploy`,
})}
<p><code>berth login</code> signs in, and creates the administrator of a new installation. <code>berth token create</code>
prints an API token, which is the value of <code>BERTH_TOKEN</code>. <a href="#tokens">Tokens</a> lists all sorts of
tokens. <a href="openapi.json">openapi.json</a>
describes the API for programs (OpenAPI 3.1).</p>`

function tokens(operations: readonly Operation[]): Html {
  const callable = operations
    .filter(({ access }) => canCall(access, callers.installation!))
    .map(({ name }, i) => html`${i === 0 ? '' : ', '}<a href="#${name}">${name}</a>`)
  return html`
<p>Every operation except <a href="#auth.signIn">auth.signIn</a> needs the header
<code>Authorization: Bearer &lt;token&gt;</code>. A missing, unknown, revoked or expired token gets status 401. A valid
token without access to the operation gets status 403.</p>
<dl class="fields">
  ${term(
    html`<code>berth_inst_…</code>`,
    html`The installation token is in the file <code>access-token</code> in Berth's data
    folder. The text that Berth prints at startup names the file. It can only call ${callable}.`,
  )}
  ${term(
    html`<code>berth_invt_…</code>`,
    html`<a href="#user.invite">user.invite</a> answers an invitation token. It can call
    <a href="#auth.createUser">auth.createUser</a> once, within 7 days.`,
  )}
  ${term(
    html`<code>berth_2fa_…</code>`,
    html`<a href="#auth.login">auth.login</a> answers a challenge token if the account has a
    second factor. It can only call <a href="#auth.verifyLogin2FA">auth.verifyLogin2FA</a> for that account. It is valid
    for 5 minutes and 5 codes.`,
  )}
  ${term(
    html`<code>berth_sess_…</code>`,
    html`Signing in answers a session token. A session ends after 7 days without use, and
    after 30 days in any case. <a href="#auth.sessions">auth.sessions</a> lists your sessions. With
    <code>cookie: true</code> the token is in a cookie instead. Berth accepts the cookie only from its own pages, and refuses
    it with status 403 from others: programs send a bearer token.`,
  )}
  ${term(
    html`<code>berth_api_…</code>`,
    html`API tokens are for scripts. <a href="#auth.createToken">auth.createToken</a> creates one
    with a scope and an optional expiry. <a href="#auth.generateToken">auth.generateToken</a> creates one without them.
    An API token cannot sign out, create tokens or change its account.`,
  )}
</dl>`
}

function term(name: Html, meaning: Html | string): Html {
  return html`<div><dt>${name}</dt><dd>${meaning}</dd></div>`
}

const calls = html`
<ul>
  <li>A request body is JSON in UTF-8, up to 1 MiB, with <code>Content-Type: application/json</code>. If an operation
    needs no input, send no body or <code>{}</code>.</li>
  <li>A successful call gets status 200 and JSON. A change answers the record after the change. A removal answers the
    removed record.</li>
  <li>In an update, a field that you leave out keeps its value, and <code>null</code> clears it. Unknown fields are
    ignored, so you can send back a record that you read. The header <code>Berth-Ignored-Fields</code> lists them.</li>
  <li>Lists are sorted from oldest to newest. <code>limit</code> sets the page size. The header
    <code>Berth-Next-Cursor</code> contains the <code>cursor</code> of the next page.</li>
  <li>Some reads can stream their answer until you disconnect. A stream is NDJSON: one JSON value per line. Skip empty
    lines: they only keep the connection alive. If the connection breaks before the stream ends, the answer is
    incomplete.</li>
  <li>Ids sort by creation time. Times are ISO 8601 in UTC.</li>
  <li>With the header <code>Idempotency-Key: &lt;up to 255 characters&gt;</code> you can repeat a POST within 24 hours:
    the repeated call gets the first answer and changes nothing. Calls that sign in ignore this header.</li>
  <li>The answer of <code>&lt;group&gt;.one</code> has an <code>ETag</code>. Send it as <code>If-Match</code> with a change
    of the record: if somebody has edited the record in the meantime, the call answers 412 and changes nothing.</li>
  <li>Every answer has an <code>X-Request-Id</code>. Berth's log has a line with this id.</li>
</ul>`

const waiting = html`
<p>A call that starts long-running work (a deployment, a backup) is answered as soon as the work is recorded; the record
is then <code>running</code>. With the header <code>Prefer: wait=N</code> (N seconds, up to ${maxWaitSeconds}) the call
waits for the end of the work. It answers 200 if the work succeeded, or the error if it failed. If the time runs out
first, it answers 200 with a record that is still running. If a later call supersedes the work, it answers 409.</p>
${copyable("curl -sS … -H 'Prefer: wait=60'")}`

const errorExample = `{
  "message": "name: must not be empty",
  "code": "BAD_REQUEST",
  "issues": [{ "path": "name", "message": "must not be empty" }]
}`

const errors = html`
<p>Every answer with a status other than 200 has this body. <code>message</code> says what is wrong and what to do.
<code>issues</code> has one entry for each invalid field.</p>
${copyable(errorExample)}
<dl class="fields errors">${Object.entries(statusOf).map(([code, status]) =>
  term(html`<b>${status}</b> <code>${code}</code>`, `${errorDescriptions[code as Code]}.`),
)}</dl>`
