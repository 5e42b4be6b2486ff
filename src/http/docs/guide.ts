/** What the reference page says before the operations: how to begin, and what holds for all of them. */
import { callers, mayCall } from '../../api/access.ts'
import type { Operation } from '../../api/contract.ts'
import { type Code, statusOf } from '../../errors.ts'
import { maxWaitSeconds } from '../headers.ts'
import { meaningOf } from '../reference.ts'
import { accessTable } from './access.ts'
import { type Html, html } from './html.ts'
import { copyable } from './operation.ts'

interface Chapter {
  id: string
  title: string
  text: Html
}

export function chapters(operations: readonly Operation[]): Chapter[] {
  return [
    { id: 'begin', title: 'Begin', text: begin },
    { id: 'tokens', title: 'Tokens', text: tokens(operations) },
    { id: 'access', title: 'Who may call what', text: accessTable(operations) },
    { id: 'calls', title: 'Calls and answers', text: calls },
    { id: 'waiting', title: 'Long work', text: waiting },
    { id: 'errors', title: 'Errors', text: errors },
  ]
}

const begin = html`
<p>Every call is an HTTP request to <code>/api/&lt;group&gt;.&lt;operation&gt;</code>:
<span class="method get">GET</span> reads, <span class="method post">POST</span> changes. The examples on this page
take the address and the token from two shell variables:</p>
${copyable('export BERTH=http://127.0.0.1:3000\nexport TOKEN=…')}
<p>The first token is the installation token, see <a href="#tokens">Tokens</a>. The description for programs is
<a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>`

function tokens(operations: readonly Operation[]): Html {
  const waysIn = operations
    .filter(({ access }) => mayCall(access, callers.installation!))
    .map(({ name }, i) => html`${i === 0 ? '' : ', '}<a href="#${name}">${name}</a>`)
  return html`
<p>Every operation wants the header <code>Authorization: Bearer &lt;token&gt;</code>. What is missing, unknown, revoked
or past its time is 401; a good token that may not call the operation is 403.</p>
<div class="fields">
  ${term(
    html`<code>berth_inst_…</code>`,
    html`The installation token lies in <code>access-token</code> in Berth's data
    folder; the text that Berth prints at its start names the file. It opens only ${waysIn}.`,
  )}
  ${term(
    html`<code>berth_invt_…</code>`,
    html`An invitation comes from <a href="#user.invite">user.invite</a>. It opens
    <a href="#auth.createUser">auth.createUser</a>, once, within 7 days.`,
  )}
  ${term(
    html`<code>berth_2fa_…</code>`,
    html`A challenge comes from <a href="#auth.login">auth.login</a> where the
    account has a second factor. It opens <a href="#auth.verifyLogin2FA">auth.verifyLogin2FA</a> of that account, for
    5 minutes and 5 codes.`,
  )}
  ${term(
    html`<code>berth_sess_…</code>`,
    html`A session comes with signing in. It ends after 7 days without use, and
    after 30 days in all. <a href="#auth.sessions">auth.sessions</a> lists yours.`,
  )}
  ${term(
    html`<code>berth_api_…</code>`,
    html`An API token is for scripts. It comes from
    <a href="#auth.createToken">auth.createToken</a> with a scope and, if you like, an end, or from
    <a href="#auth.generateToken">auth.generateToken</a>; it cannot sign out or make tokens, nor change its account.`,
  )}
</div>`
}

function term(name: Html, meaning: Html | string): Html {
  return html`<div class="field"><div class="name">${name}</div><div>${meaning}</div></div>`
}

const calls = html`
<ul>
  <li>A body is JSON in UTF-8, up to 1 MiB, with <code>Content-Type: application/json</code>. Without input, send no
    body, or <code>{}</code>.</li>
  <li>Success is always 200 with JSON. A change answers the record as it is after the change; a removal, the record as
    it was.</li>
  <li>In an update, a field that is left out stays as it is, and <code>null</code> clears it. Fields that an operation
    does not know are ignored, so that a record that was read can be sent back; the header
    <code>Berth-Ignored-Fields</code> names them.</li>
  <li>Lists are oldest first. <code>limit</code> cuts them into pages; the header <code>Berth-Next-Cursor</code> carries
    the <code>cursor</code> of the next.</li>
  <li>Some reads can go on for as long as you stay: their answer is NDJSON, one JSON value a line. Leave out empty
    lines, which only say that the connection lives. An answer that breaks off without an end is not whole.</li>
  <li>Ids sort by the time they were made. Times are ISO 8601 in UTC.</li>
  <li>With <code>Idempotency-Key: &lt;up to 255 characters&gt;</code>, a POST that is sent again within 24 hours gets
    its first answer again, and nothing is done twice.</li>
  <li>Every answer has an <code>X-Request-Id</code>, which finds its line in Berth's log.</li>
</ul>`

const waiting = html`
<p>What takes time is answered as soon as it is recorded, with the record as <code>running</code>. With the header
<code>Prefer: wait=N</code> (N seconds, up to ${maxWaitSeconds}) the answer comes when the work has settled: 200, or
the error that ended it. When the time is up first, it is 200 with the record still running. A call that a later one has
overtaken is 409.</p>
${copyable("curl -sS … -H 'Prefer: wait=60'")}`

const errorExample = `{
  "message": "name: must not be empty",
  "code": "BAD_REQUEST",
  "issues": [{ "path": "name", "message": "must not be empty" }]
}`

const errors = html`
<p>Whatever is not 200 has this body. <code>message</code> says what is wrong and what to do; <code>issues</code> has
one entry for each field at fault.</p>
${copyable(errorExample)}
<div class="fields errors">${Object.entries(statusOf).map(([code, status]) =>
  term(html`<b>${status}</b> <code>${code}</code>`, `${meaningOf[code as Code]}.`),
)}</div>`
