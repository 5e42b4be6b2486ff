/** The section of one operation on the reference page. */
import { confirmationText } from '../../api/confirmation/fields.ts'
import { callersText, methodOf, type Operation } from '../../api/contract.ts'
import { type Code, statusOf } from '../../errors.ts'
import type { Schema, Schemas } from '../openapi-schemas.ts'
import { errorDescriptions, ownRefusalsOf, streamText } from '../reference.ts'
import { pathOf } from '../routes.ts'
import { type Example, exampleOf } from './example.ts'
import { fieldTable, typeOf } from './fields.ts'
import { type Html, html, prose } from './html.ts'

export function operationSection(operation: Operation, schemas: Schemas): Html {
  const input = schemas.inputOf(operation)
  const method = methodOf(operation)
  const { access } = operation
  const badge = access.startsWith('admin:') ? 'tag admin' : 'tag'
  return html`<article class="operation" id="${operation.name}">
  <header>
    <h3><a href="#${operation.name}">${operation.name}</a></h3>
    <p class="path"><span class="tag ${method.toLowerCase()}">${method}</span> <code>${pathOf(operation)}</code></p>
  </header>
  <div class="about">
    <p class="summary">${operation.summary}.</p>
    ${operation.description === undefined ? null : html`<p>${prose(operation.description)}</p>`}
    ${operation.finalAnswer === undefined ? null : longWork}
    ${operation.stream === undefined ? null : html`<p>${streamText}</p>`}
    ${operation.confirmation === undefined ? null : html`<p>${prose(confirmationText(operation.confirmation))}</p>`}
    <p class="access"><span class="${badge}">${access}</span> ${callersText(operation)}.</p>
  </div>
  <div class="example">${examples(exampleOf(operation, input))}</div>
  <div class="about">
    <h4>${method === 'GET' ? 'Query parameters' : 'Body'}</h4>
    ${Object.keys(input.properties ?? {}).length === 0 ? html`<p class="none">None.</p>` : fieldTable(input, false)}
    <h4>Answer</h4>
    ${answer(schemas.outputOf(operation))}
    <h4>Errors</h4>
    ${errors(ownRefusalsOf(operation))}
  </div>
</article>`
}

const longWork = html`<p>This call starts long-running work. With <a href="#waiting"><code>Prefer: wait</code></a> it
  waits for the end of the work.</p>`

function answer(output: Schema): Html {
  if (Object.keys(output.properties ?? {}).length > 0) return fieldTable(output, true)
  const items = output.items as Schema | undefined
  if (Object.keys(items?.properties ?? {}).length > 0) {
    return html`<p class="type">A list. Each element has:</p>${fieldTable(items!, true)}`
  }
  return html`<p class="type">${typeOf(output)}</p>`
}

function errors(codes: Code[]): Html {
  const rest = html`<a href="#errors">the errors of every call</a>`
  if (codes.length === 0) return html`<p class="none">Only ${rest}.</p>`
  const chip = (code: Code) =>
    html`<a href="#errors" title="${errorDescriptions[code]}"><b>${statusOf[code]}</b> ${code}</a> `
  return html`<p class="codes">${codes.map(chip)}</p>
    <p class="none">And ${rest}.</p>`
}

/** The three forms of an example. With JavaScript they become tabs. */
export function examples({ curl, client, command }: Example): Html {
  const form = (title: string, text: string) =>
    html`<section><p class="form-name">${title}</p>${copyable(text)}</section>`
  return html`<div class="forms">${form('curl', curl)}${form('TypeScript', client)}${form('Command line', command)}</div>`
}

/** A code block with a copy button. The button stays hidden without JavaScript. */
export function copyable(text: string): Html {
  const button = html`<button type="button" class="button small copy" hidden>Copy</button>`
  return html`<div class="code">${button}<pre><code>${text}</code></pre></div>`
}
