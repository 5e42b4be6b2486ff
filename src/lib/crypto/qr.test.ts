/** Tests that images decode to their text, and checks their markup and border. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeQrCode } from '../../../test/fixtures/qr-image.ts'
import { qrDataUrl } from './qr.ts'
import { newSecret, otpauthUrl } from './totp.ts'

const addresses = ['a@b.de', 'ada@example.org', `${'x'.repeat(242)}@example.org`, 'o\'neil+"a"<b>&c@example.org']
for (const address of addresses) {
  test(`the image of the URL for ${address.slice(0, 30)} decodes to the URL`, () => {
    const url = otpauthUrl(newSecret(), address)
    assert.equal(decodeQrCode(qrDataUrl(url)), url)
  })
}

test('the image contains only known markup, and a border of four modules', () => {
  const svg = Buffer.from(qrDataUrl('</svg><script>').split(',')[1]!, 'base64').toString()
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^<>]*>(<path [^<>]*\/>){2}<\/svg>$/)
  const squares = [...svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].flatMap(([, x, y]) => [Number(x), Number(y)])
  const size = Number(/viewBox="0 0 (\d+)/.exec(svg)![1])
  assert.deepEqual([Math.min(...squares), Math.max(...squares)], [4, size - 5])
})
