/**
 * The runtime looks for buffers that nobody needs any more when 32 MiB of them have gathered (V8 counts what is
 * allocated outside its heap so), and what the kernel handed over in between comes on top. Streams of gigabytes that
 * are to stay small tell it earlier.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'minor' }) => void

/** Half a millisecond each time, where a stream takes ten for as much. */
const everyBytes = 4 * 1024 * 1024

/** To be told of each buffer that has been used. */
export function sweeper(): (usedBytes: number) => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  let since = 0
  return (usedBytes) => {
    since += usedBytes
    if (since < everyBytes) return
    since = 0
    collect({ type: 'minor' })
  }
}
