/** Creates a tar archive (ustar) of small files owned by root, which the engine unpacks into a container. Pure. */
import type { JobFile } from '../../job.ts'

const blockBytes = 512

/** The archive has no entries for folders, because such entries would change the permissions of existing folders. */
export function tarOf(files: JobFile[]): Buffer {
  const blocks = files.flatMap(({ path, content, mode }) => {
    const bytes = Buffer.from(content)
    return [headerOf(path.slice(1), mode, bytes.length), bytes, Buffer.alloc(-bytes.length & (blockBytes - 1))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)])
}

function headerOf(name: string, mode: number, size: number): Buffer {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, digits: number) => header.write(value.toString(8).padStart(digits, '0'), at)
  header.write(name, 0, 100)
  octal(mode & 0o7777, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(size, 124, 11)
  octal(0, 136, 11)
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  )
  header.writeUInt8(0, 154)
  return header
}
