/** The reference page, generated from the declarations of operations. One document that loads no other resources. */
import { createHash } from 'node:crypto'
import manifest from '../../../package.json' with { type: 'json' }
import type { Operation } from '../../api/contract.ts'
import { textFile } from '../../lib/text-file.ts'
import { capitalize, groupOf, type Schemas, schemasOf } from '../openapi-schemas.ts'
import { fieldTable, typeOf } from './fields.ts'
import { chapters } from './guide.ts'
import { type Html, html, raw } from './html.ts'
import { operationSection } from './operation.ts'

const style = textFile('http/docs/style.css')
const script = textFile('http/docs/script.js')

export function docsOf(operations: readonly Operation[]): { html: string; headers: Record<string, string> } {
  return { html: page(operations, style, script).html, headers: headersOf(style, script) }
}

/** The content security policy permits only the page's own style and script. */
function headersOf(style: string, script: string) {
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; ` +
      "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  }
}

function page(operations: readonly Operation[], style: string, script: string): Html {
  const schemas = schemasOf(operations)
  const groups = Map.groupBy(operations, groupOf)
  const guide = chapters(operations)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Berth: reference</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style>${raw(style)}</style>
</head>
<body>
<nav aria-label="Contents">${navigation(guide, groups, schemas)}</nav>
<main>
<header class="top"><h1>Berth</h1><p>${manifest.description}.</p>
<p class="version">Reference of version ${manifest.version} · ${operations.length} operations</p></header>
${guide.map(({ id, title, text }) => html`<section class="chapter" id="${id}"><h2>${title}</h2>${text}</section>`)}
${[...groups].map(
  ([group, members]) => html`
<section class="group" id="group-${group}"><h2>${capitalize(group)}</h2>
${members.map((it) => operationSection(it, schemas))}</section>`,
)}
<section class="chapter" id="records"><h2>Records</h2>${records(schemas)}</section>
</main>
<script>${raw(script)}</script>
</body>
</html>
`
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<rect width="16" height="16" rx="4" fill="#0d5c63"/><path d="M3 10.5c1.7 1.4 3.3 1.4 5 0s3.3-1.4 5 0M8 3v5" ' +
  'stroke="#fff" stroke-width="1.6" fill="none" stroke-linecap="round"/></svg>'

function navigation(guide: { id: string; title: string }[], groups: Map<string, Operation[]>, schemas: Schemas): Html {
  const link = (id: string, text: string) => html`<li><a href="#${id}">${text}</a></li>`
  return html`<details open><summary><span class="brand">Berth</span><span class="menu">Contents</span></summary>
<input type="search" id="filter" placeholder="Find an operation" aria-label="Find an operation" hidden>
<ul>${guide.map(({ id, title }) => link(id, title))}</ul>
${[...groups].map(
  ([group, members]) => html`<h2><a href="#group-${group}">${capitalize(group)}</a></h2>
<ul class="operations">${members.map(({ name }) => link(name, name.slice(group.length + 1)))}</ul>`,
)}
<h2><a href="#records">Records</a></h2>
<ul>${Object.keys(schemas.components).map((name) => link(`record-${name}`, name))}</ul></details>`
}

function records(schemas: Schemas): Html[] {
  return Object.entries(schemas.components).map(
    ([name, schema]) =>
      html`<article id="record-${name}"><h3><a href="#record-${name}">${name}</a></h3>
${schema.properties === undefined ? typeOf(schema) : fieldTable(schema, true)}</article>`,
  )
}
