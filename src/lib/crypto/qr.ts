/** Draws a text as a QR code. */
import encodeQR from 'qr'

/** The quiet zone around the code, in modules. Source: ISO/IEC 18004, section 6.3.8. */
const border = 4

/** Returns an SVG image as a data URL, black on white so that it can be read on a dark page too. */
export function qrDataUrl(text: string): string {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border })
  const path = rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('')
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rows.length} ${rows.length}" width="240" ` +
    `height="240" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${rows.length}v${rows.length}H0z"/>` +
    `<path d="${path}"/></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
