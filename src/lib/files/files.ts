/** The files of a server or of a folder, for a storage that keeps each object as a file (`file-storage.ts`). */
import type { StorageFault, Verb } from '../storage/faults.ts'
import type { WaitForRetry } from '../storage/retries.ts'

export interface FileInfo {
  sizeBytes: number
  modifiedAt: Date
}

export interface Entry extends FileInfo {
  name: string
  /** Links and devices are `other`. */
  type: 'file' | 'folder' | 'other'
}

export interface OpenFile {
  /** Fails unless all bytes were written. */
  write(bytes: Buffer, position: number): Promise<void>
  /** Returns fewer bytes only at the end of the file. */
  read(position: number, sizeBytes: number): Promise<Buffer>
  info(): Promise<FileInfo>
  /** Waits until the content is on the disk, if the server can do so. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The files as one connection reaches them. All paths are absolute. */
export interface Files {
  /** @param how `create` empties a file that exists; `resume` opens one to write; null: the file or its folder is missing */
  open(path: string, how: 'create' | 'resume' | 'read'): Promise<OpenFile | null>
  /** Returns null if there is nothing at this path. */
  info(path: string): Promise<Entry | null>
  /** Returns null if the folder is missing, and `refused` if it may not be read. */
  entries(path: string): Promise<Entry[] | null | 'refused'>
  /** A folder that exists counts as made. */
  makeFolder(path: string): Promise<void>
  /** Replaces a file at `to`. @returns false if `from` is missing */
  rename(from: string, to: string): Promise<boolean>
  /** A file that is missing counts as removed. */
  remove(path: string): Promise<void>
  /** Waits until the names in the folder are on the disk, if the server can do so. */
  syncFolder(path: string): Promise<void>
}

export interface FileTools {
  files: Files
  /** The number of this attempt, from 1. */
  attempt: number
}

export interface FileConnection {
  /** The absolute path of the folder with all objects, which exists already. */
  base: string
  /** The name of the storage in messages. */
  host: string
  /**
   * Runs the work with files, with retries.
   * @throws StorageFault, or the reason of `signal` if that is aborted
   */
  ask<T>(verb: Verb, signal: AbortSignal, run: (tools: FileTools) => Promise<T>, attempts?: number): Promise<T>
  waitForRetry: WaitForRetry
  faultOf(error: unknown, verb: Verb): StorageFault
  close(): void
}
