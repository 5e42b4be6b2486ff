/** The access table on the reference page: which token can call which operation. */
import { type Access, callers, canCall } from '../../api/access.ts'
import type { Operation } from '../../api/contract.ts'
import { type Html, html, raw } from './html.ts'

const columns = Object.entries(callers)

export function accessTable(operations: readonly Operation[]): Html {
  return html`
<p>Administrators can call every operation that other accounts can call. An API token has a scope: <code>read</code> can
read, but not see passwords of databases; <code>deploy</code> can also deploy, start, stop and reload services and run
backups and drills; <code>admin</code> can do everything that the role of its account allows, except change a password,
an e-mail or a second factor, manage sessions and tokens, and create or remove accounts.</p>
<p>The table is for callers that reach all projects. An account or a token can be limited to projects, with the role
<code>viewer</code>, <code>developer</code> or <code>owner</code> in each: each operation below says which role it needs.</p>
<details><summary>All ${operations.length} operations</summary>
<section class="table-wrap" tabindex="0" aria-label="Which token can call which operation"><table class="table access-table">
  <thead><tr><th scope="col">Operation</th>${columns.map(([name]) => html`<th scope="col">${name}</th>`)}</tr></thead>
  <tbody>${operations.map(row)}</tbody>
</table></section></details>`
}

const row = ({ name, access }: Operation): Html => html`
  <tr><th scope="row"><a href="#${name}">${breakable(name)}</a></th>${columns.map(([, caller]) => cell(access, caller))}</tr>`

/** The name with a place where narrow columns may break it. */
const breakable = (name: string) =>
  html`${name.split('.').map((part, i) => html`${i === 0 ? null : raw('.<wbr>')}${part}`)}`

const cell = (access: Access, caller: (typeof callers)[string]): Html =>
  canCall(access, caller) ? html`<td class="may">yes</td>` : html`<td>–</td>`
