import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html, prose, raw } from './html.ts'

test('escapes inserted text, but not inserted HTML', () => {
  assert.equal(html`<p title="${'"\'<>&'}">${7}</p>`.html, '<p title="&quot;&#39;&lt;&gt;&amp;">7</p>')
  assert.equal(
    html`<ul>${['a', '<b>'].map((text) => html`<li>${text}</li>`)}</ul>`.html,
    '<ul><li>a</li><li>&lt;b&gt;</li></ul>',
  )
  assert.equal(html`${null}${[]}${raw('<hr>')}`.html, '<hr>')
})

test('shows the parts of a description in backticks as code', () => {
  assert.equal(prose('`$1` stands for <a>').html, '<code>$1</code> stands for &lt;a&gt;')
  assert.equal(prose('See `a` or `b`').html, 'See <code>a</code> or <code>b</code>')
  assert.equal(prose('plain').html, 'plain')
})
