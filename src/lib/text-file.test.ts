import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textFile, textTemplate } from './text-file.ts'

const path = 'gateways/nginx.conf'
const values = { insidePort: '15000', target: 'web', targetPort: '53', rules: '' }

test('removes the comments at the head, and replaces each {{name}} by its value', () => {
  const text = textFile(path, values)
  assert.match(text, /^include /)
  assert.match(text, /listen 15000 udp;\n {4}proxy_pass \$target:53;/)
  assert.doesNotMatch(text, /\{\{/)
})

test('inserts a value unchanged', () => {
  assert.match(textTemplate(path)({ ...values, target: '$&$1' }), /default \$&\$1;/)
})

test('refuses a name without a value, a value without a name, and a missing file', () => {
  assert.throws(() => textFile(path), /nginx\.conf needs a value for target/)
  assert.throws(() => textFile(path, { ...values, more: '' }), /nginx\.conf does not use more/)
  assert.throws(() => textFile('gateways/none.conf'), /ENOENT/)
})
