import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html, raw } from './html.ts'

test('escapes inserted text, but not inserted HTML', () => {
  assert.equal(html`<p title="${'"\'<>&'}">${7}</p>`.html, '<p title="&quot;&#39;&lt;&gt;&amp;">7</p>')
  assert.equal(
    html`<ul>${['a', '<b>'].map((text) => html`<li>${text}</li>`)}</ul>`.html,
    '<ul><li>a</li><li>&lt;b&gt;</li></ul>',
  )
  assert.equal(html`${null}${[]}${raw('<hr>')}`.html, '<hr>')
})
