/** Reads an answer that is a file. */
import { incomplete, piecesOf } from './lines.ts'
import type { FileDownload } from './method.ts'
import type { Answer, Lost } from './request.ts'

export function fileOf(response: Answer, lost: Lost, signal?: AbortSignal): FileDownload {
  const header = (name: string) => response.headers.get(name) ?? ''
  const length = header('content-length')
  const sizeBytes = length === '' ? null : Number(length)
  const [, digest = ''] = /sha-256=:([^:]+):/.exec(header('repr-digest')) ?? []
  return {
    name: /filename="([^"]+)"/.exec(header('content-disposition'))?.[1] ?? 'download',
    sizeBytes,
    sha256: digest === '' ? null : hexOf(atob(digest)),
    bytes: bytes(),
  }

  async function* bytes() {
    let read = 0
    for await (const piece of piecesOf(response, lost, signal)) {
      read += piece.length
      yield piece
    }
    if (sizeBytes !== null && read !== sizeBytes) lost(incomplete())
  }
}

const hexOf = (binary: string) =>
  Array.from(binary, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')
