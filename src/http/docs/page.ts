/**
 * The reference page, generated from the declarations of operations. One document that loads no other resources. It has
 * the style of the console.
 */
import { createHash } from 'node:crypto'
import manifest from '../../../package.json' with { type: 'json' }
import type { Operation } from '../../api/contract.ts'
import { consoleFile, textFile } from '../../lib/text-file.ts'
import { capitalize, groupOf, type Schemas, schemasOf } from '../openapi-schemas.ts'
import { fieldTable, typeOf } from './fields.ts'
import { chapters } from './guide.ts'
import { type Html, html, raw } from './html.ts'
import { operationSection } from './operation.ts'

const style = [
  consoleFile('style/tokens.css'),
  consoleFile('style/base.css'),
  consoleFile('style/shell.css'),
  consoleFile('style/controls.css'),
  consoleFile('style/content.css'),
  textFile('http/docs/style.css'),
].join('')
const icon = consoleFile('icon.svg')
/** Sets the colours before the page is drawn. */
const theme = textFile('http/docs/theme.js')
const script = textFile('http/docs/script.js')

export function docsOf(operations: readonly Operation[]): { html: string; headers: Record<string, string> } {
  return { html: page(operations).html, headers }
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The content security policy permits only the page's own style and scripts. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(theme)} ${hashOf(script)}; ` +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

function page(operations: readonly Operation[]): Html {
  const schemas = schemasOf(operations)
  const groups = Map.groupBy(operations, groupOf)
  const guide = chapters(operations)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Berth: API reference</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style>${raw(style)}</style>
<script>${raw(theme)}</script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="shell">
<header class="side">${side(navigation(guide, groups, schemas))}</header>
<main class="main" id="main" tabindex="-1">
<div class="head"><div><h1>API reference</h1>
<p class="sub">Berth ${manifest.version}, ${operations.length} operations. ${manifest.description}.</p></div></div>
${guide.map(({ id, title, text }) => html`<section class="chapter" id="${id}"><h2>${title}</h2>${text}</section>`)}
${[...groups].map(
  ([group, members]) => html`
<section class="group" id="group-${group}"><h2>${capitalize(group)}</h2>
${members.map((it) => operationSection(it, schemas))}</section>`,
)}
<section class="chapter" id="records"><h2>Records</h2>${records(schemas)}</section>
</main>
</div>
<p class="visually-hidden" role="status" id="copied"></p>
<script>${raw(script)}</script>
</body>
</html>
`
}

/** The column at the side, which is a bar at the top of narrow screens. */
const side = (contents: Html): Html => html`<div class="side-inner">
<div class="bar"><a class="brand" href="/">${raw(mark)}Berth</a>
<a class="back" href="/">Back to the console</a>
<button type="button" class="button small" id="menu" aria-expanded="false" aria-controls="contents">Contents</button></div>
<div id="contents"><input type="search" class="input" id="filter" placeholder="Find an operation"
  aria-label="Find an operation" hidden>
<p class="hint" role="status" id="found"></p>
<nav class="nav" aria-label="Contents">${contents}</nav></div></div>`

/** The icon as a part of the page. */
const mark = icon
  .replace('<svg ', '<svg width="22" height="22" aria-hidden="true" ')
  .replace(/ *<title>.*<\/title>\n/, '')

function navigation(guide: { id: string; title: string }[], groups: Map<string, Operation[]>, schemas: Schemas): Html {
  const link = (id: string, text: string) => html`<li><a href="#${id}">${text}</a></li>`
  const part = (id: string, title: string, entries: Html[]) =>
    html`<li class="part"><a href="#${id}">${title}</a><ul>${entries}</ul></li>`
  return html`<ul>${guide.map(({ id, title }) => link(id, title))}
${[...groups].map(([group, members]) =>
  part(
    `group-${group}`,
    capitalize(group),
    members.map(({ name }) => link(name, name.slice(group.length + 1))),
  ),
)}
${part(
  'records',
  'Records',
  Object.keys(schemas.components).map((name) => link(`record-${name}`, name)),
)}</ul>`
}

function records(schemas: Schemas): Html[] {
  return Object.entries(schemas.components).map(
    ([name, schema]) =>
      html`<article id="record-${name}"><h3><a href="#record-${name}">${name}</a></h3>
${schema.properties === undefined ? typeOf(schema) : fieldTable(schema, true)}</article>`,
  )
}
