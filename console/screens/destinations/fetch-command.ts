/** The command that fetches an object of a destination without Berth. Pure. */
import { shellLine } from '../../../shared/shell-word.ts'
import type { Destination } from '../../../client/client.ts'

/** What the command needs to know about a destination. */
export type Fetched = Pick<Destination, 'kind' | 'endpoint' | 'bucket' | 'accessKey'>

/** @param file the file or folder to write to */
export function fetchCommand({ kind, endpoint, bucket, accessKey }: Fetched, key: string, file: string): string {
  if (kind === 'sftp') {
    // The second slash makes the path absolute.
    const url = `sftp://${accessKey}@${endpoint.replace(/^sftp:\/\//, '').replace(/\/$/, '')}/${bucket}/${key}`
    return shellLine`sftp ${url} ${file}`
  }
  const url = /^https?:/.test(endpoint) ? endpoint : `https://${endpoint}`
  return shellLine`aws s3 cp --endpoint-url ${url} ${`s3://${bucket}/${key}`} ${file}`
}
