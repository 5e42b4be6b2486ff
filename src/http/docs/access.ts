/** The table of access on the reference page: which token opens which operation. */
import { type Access, callers, mayCall } from '../../api/access.ts'
import type { Operation } from '../../api/contract.ts'
import { type Html, html } from './html.ts'

const columns = Object.entries(callers)

export function accessTable(operations: readonly Operation[]): Html {
  return html`
<p>An administrator may all that an account may. An API token has a scope: <code>read</code> reads, without passwords of
databases; <code>deploy</code> also deploys, starts, stops and reloads services and runs backups and drills;
<code>admin</code> does all that the role of its account allows, but never changes a password, an e-mail or a second
factor, and makes no tokens and no accounts.</p>
<details><summary>All ${operations.length} operations</summary>
<div class="wide"><table class="access-table">
  <thead><tr><th></th>${columns.map(([name]) => html`<th><span>${name}</span></th>`)}</tr></thead>
  <tbody>${operations.map(row)}</tbody>
</table></div></details>`
}

const row = ({ name, access }: Operation): Html => html`
  <tr><th><a href="#${name}">${name}</a></th>${columns.map(([, it]) => cell(access, it))}</tr>`

const cell = (access: Access, it: (typeof callers)[string]): Html =>
  mayCall(access, it) ? html`<td class="may">yes</td>` : html`<td>–</td>`
