/** Reads a QR code from an SVG picture as a camera would: paints its squares, eight dots each, and decodes the dots. */
import assert from 'node:assert/strict'
import decodeQR from 'qr/decode.js'

const dots = 8

export function textOf(dataUrl: string): string {
  const [, base64] = /^data:image\/svg\+xml;base64,([A-Za-z0-9+/]+=*)$/.exec(dataUrl) ?? []
  assert.ok(base64 !== undefined, 'it is an SVG as a data URL')
  const svg = Buffer.from(base64, 'base64').toString('utf8')
  const [, size, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []
  assert.equal(size, height, 'it is a square')
  const side = Number(size) * dots
  const data = new Uint8Array(side * side * 4).fill(255)
  const [background, squares] = [...svg.matchAll(/<path (?:fill="#fff" )?d="([^"]*)"/g)].map(([, path]) => path!)
  assert.equal(background, `M0 0h${size}v${size}H0z`, 'its background is white')
  for (const [, x, y] of squares!.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) paint(data, side, Number(x), Number(y))
  return decodeQR({ width: side, height: side, data })
}

function paint(data: Uint8Array, side: number, x: number, y: number) {
  for (let row = y * dots; row < (y + 1) * dots; row++) {
    for (let column = x * dots; column < (x + 1) * dots; column++) {
      data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3)
    }
  }
}
