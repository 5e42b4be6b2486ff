/**
 * A program that uploads 256 MiB to the storage of STORAGE_SETTINGS and prints its memory use, in MiB of RSS. The first
 * two imports load modules that Berth loads in any case, so they do not count.
 */
import 'node:http2'
import 'node:https'
import { openBucket, type Settings } from '../../src/lib/s3/s3.ts'
import { MiB } from './storage-samples.ts'

/** Eight times the memory that the upload may use. */
const sizeBytes = 256 * MiB
const rss = () => Math.round(process.memoryUsage.rss() / MiB)
const signal = new AbortController().signal
const settings = JSON.parse(process.env.STORAGE_SETTINGS!) as Settings

/** Yields the same buffer again and again, so that the source itself leaves nothing for the garbage collector. */
async function* source() {
  const chunk = Buffer.alloc(MiB / 16, 7)
  for (let left = sizeBytes; left > 0; left -= chunk.length) yield chunk
}

const bare = rss()
using bucket = openBucket(settings)
await bucket.put('memory', Buffer.alloc(1))
const loaded = rss()
let highest = loaded
const startMs = performance.now()
const onProgress = () => {
  highest = Math.max(highest, rss())
}
await bucket.upload('memory', source(), { signal, onProgress })
const seconds = (performance.now() - startMs) / 1000
await bucket.remove(['memory'])
console.log(JSON.stringify({ bare, loaded, highest, seconds, sizeBytes }))
