/**
 * Passes output on to a screen that draws more slowly than a connection brings it. A browser cannot slow a WebSocket
 * down, so output that exceeds the limit is left out, as it would have left the screen at once. Pure.
 */

/** Bytes that wait to be drawn. xterm draws 5 to 35 MB in a second. */
const maxWaitingBytes = 4_000_000
const resumeBytes = 1_000_000

/** @param write draws bytes, and then calls `done` */
export function outputGate(write: (data: Uint8Array | string, done: () => void) => void) {
  let waitingBytes = 0
  let droppedBytes = 0
  return function pass(bytes: Uint8Array): void {
    if (droppedBytes > 0 || waitingBytes + bytes.length > maxWaitingBytes) droppedBytes += bytes.length
    else draw(bytes)
  }

  function draw(bytes: Uint8Array) {
    waitingBytes += bytes.length
    write(bytes, () => {
      waitingBytes -= bytes.length
      if (droppedBytes === 0 || waitingBytes > resumeBytes) return
      const text = droppedText(droppedBytes)
      droppedBytes = 0
      write(text, () => {})
    })
  }
}

/** Ends an escape sequence that was cut, and its colours. */
export const droppedText = (bytes: number): string =>
  `\u0018\u001b[0m\r\n[${(bytes / 1e6).toFixed(1)} MB of output left out: it came faster than the browser draws]\r\n`
