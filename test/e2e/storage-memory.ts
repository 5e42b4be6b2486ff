/**
 * A program: uploads 256 MiB with the settings of STORAGE_SETTINGS and prints what memory it took, in MiB of RSS.
 * What Berth has loaded anyhow is loaded first.
 */
import 'node:http2'
import 'node:https'
import { openBucket, type Settings } from '../../src/lib/s3/s3.ts'
import { MiB } from './storage-samples.ts'

/** Eight times what it may take. */
const sizeBytes = 256 * MiB
const rss = () => Math.round(process.memoryUsage.rss() / MiB)
const signal = new AbortController().signal
const settings = JSON.parse(process.env.STORAGE_SETTINGS!) as Settings

/** The same bytes over and over: what others leave to be collected is not measured here. */
async function* source() {
  const chunk = Buffer.alloc(MiB / 16, 7)
  for (let left = sizeBytes; left > 0; left -= chunk.length) yield chunk
}

const bare = rss()
using bucket = openBucket(settings)
await bucket.put('memory', Buffer.alloc(1))
const loaded = rss()
let highest = loaded
const began = performance.now()
const onProgress = () => {
  highest = Math.max(highest, rss())
}
await bucket.upload('memory', source(), { signal, onProgress })
const seconds = (performance.now() - began) / 1000
await bucket.remove(['memory'])
console.log(JSON.stringify({ bare, loaded, highest, seconds, sizeBytes }))
