/** The readers of all archive formats, without the kinds and their programs: for the worker beside the data. */
import type { ArchiveFormat, ArchiveReader } from './backup.ts'
import { mongoReader } from './mongo/archive.ts'
import { mysqlReader } from './mysql/archive.ts'
import { postgresReader } from './postgres/archive.ts'

export const archiveReaders: Record<ArchiveFormat, () => ArchiveReader> = {
  pgDump: postgresReader,
  sql: mysqlReader,
  mongoArchive: mongoReader,
}
