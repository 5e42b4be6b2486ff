/** The methods of the client: one for each operation, by what the operation can do beyond one answer. */
export interface CallOptions {
  /**
   * Wait for the end of the work, for at most this many seconds. If the time ends first, the record is answered as it is
   * then, and the work goes on. Without it a change answers as soon as its work is recorded.
   */
  wait?: number
  /** By default the client makes a key for each change, so that a repeated request is carried out once. */
  idempotencyKey?: string
  /**
   * Aborts the request, and the wait before it is repeated: the call throws the reason of the signal. Work that the
   * request began goes on.
   */
  signal?: AbortSignal
  /** Further headers of the request. */
  headers?: Record<string, string>
  /**
   * Called with the headers of a successful answer, and of each page. Berth-Pending is `true` if `wait` ended before
   * the work did.
   */
  onHeaders?(headers: Pick<Headers, 'get' | 'has'>): void
}

/**
 * Calls the operation.
 * @throws BerthError if Berth refuses the call or cannot be reached
 */
export type Method<Input, Output> = (input: Input, options?: CallOptions) => Promise<Output>

/** An operation whose input can be left out. */
export type OptionalMethod<Input, Output> = (input?: Input, options?: CallOptions) => Promise<Output>

type ItemOf<List> = List extends (infer Item)[] ? Item : never

/** An operation that answers a list in pages. */
export interface PagedMethod<Input, Output> {
  /** Answers the first page; with no `limit`, the whole list. */
  (...args: ArgumentsOf<Input>): Promise<Output>
  /** Gives the records of all pages. `limit` is the size of a page. */
  each(...args: ArgumentsOf<Input>): AsyncGenerator<ItemOf<Output>, void, undefined>
}

/** An operation that can follow what happens. */
export interface StreamMethod<Input, Output> {
  (...args: ArgumentsOf<Omit<Input, 'follow'>>): Promise<Output>
  /**
   * Gives what there is and then what is new, until the stream ends or `signal` aborts it.
   * @throws BerthError with the code CONNECTION_LOST if the connection breaks before the end
   */
  follow(...args: ArgumentsOf<Omit<Input, 'follow'>>): AsyncGenerator<ItemOf<Output>, void, undefined>
}

/** A file that Berth sends. */
export interface FileDownload {
  /** The name under which to save the file. */
  name: string
  /** Null if the size is known only at the end. */
  sizeBytes: number | null
  /** The SHA-256 checksum as hex; null if it is known only at the end. The client does not compare it. */
  sha256: string | null
  /**
   * The content. Read it once, or call its `return()` to close the connection.
   * @throws BerthError with the code CONNECTION_LOST if the connection breaks before the end
   */
  bytes: AsyncGenerator<Uint8Array, void, undefined>
}

/** An operation that answers a file. */
export type FileMethod<Input> = (input: Input, options?: CallOptions) => Promise<FileDownload>

type ArgumentsOf<Input> =
  Partial<Input> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions]
