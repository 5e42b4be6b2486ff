/** Reads a record together with its tag, for a change with If-Match. */
import type { CallOptions } from '../../../client/method.ts'

export interface Tagged<T> {
  record: T
  etag: string
}

/** @param read calls the read of the API with these options */
export async function readTagged<T>(read: (options: CallOptions) => Promise<T>): Promise<Tagged<T>> {
  let etag = ''
  const record = await read({
    onHeaders: (headers) => {
      etag = headers.get('etag') ?? ''
    },
  })
  return { record, etag }
}
