/**
 * Bytes that arrive in pieces, for a parser that is a generator: it asks for bytes, and yields when it needs the next
 * piece. So a parser reads as if it had all the bytes, and keeps none of them. Pure.
 */
import { BrokenArchive } from '../backup.ts'

/** A parser, or a part of one. It yields when all bytes of a piece are used up. */
export type Parser<T = void> = Generator<undefined, T, undefined>

/** Receives the bytes `from` to `to` of a piece. The piece is valid during the call only. */
export type Receive = (piece: Uint8Array, from: number, to: number) => void

export class Pull {
  #piece: Uint8Array = new Uint8Array(0)
  #at = 0
  #to = 0
  #word = Buffer.alloc(8)

  feed(piece: Uint8Array, from: number, to: number): void {
    this.#piece = piece
    this.#at = from
    this.#to = to
  }

  /** The position in the present piece. */
  get at(): number {
    return this.#at
  }

  get isUsedUp(): boolean {
    return this.#at === this.#to
  }

  /** How many bytes of the present piece are left. */
  get left(): number {
    return this.#to - this.#at
  }

  /** Returns a byte that `left` includes, and does not use it up. @param offset from the next byte */
  peek(offset: number): number {
    return this.#piece[this.#at + offset]!
  }

  /** Passes bytes on that `left` includes. @param skipped how many bytes before them to pass over */
  take(skipped: number, size: number, receive: Receive): void {
    const from = this.#at + skipped
    this.#at = from + size
    receive(this.#piece, from, this.#at)
  }

  *byte(): Parser<number> {
    while (this.#at === this.#to) yield
    return this.#piece[this.#at++]!
  }

  /** Returns `size` bytes, at most eight. Valid until the next call. */
  *word(size: number): Parser<Buffer> {
    for (let filled = 0; filled < size; filled++) {
      while (this.#at === this.#to) yield
      this.#word[filled] = this.#piece[this.#at++]!
    }
    return this.#word
  }

  /** Passes `size` bytes on. */
  *pass(size: number, receive: Receive): Parser {
    for (let left = size; left > 0; ) {
      while (this.#at === this.#to) yield
      const from = this.#at
      const taken = Math.min(left, this.#to - from)
      this.#at += taken
      left -= taken
      receive(this.#piece, from, this.#at)
    }
  }
}

/** Runs a parser on bytes that arrive in pieces. */
export class Feed {
  #pull = new Pull()
  #parser: Parser
  #isDone = false

  /** @param parse creates the parser */
  constructor(parse: (pull: Pull) => Parser) {
    this.#parser = parse(this.#pull)
  }

  /** @throws BrokenArchive */
  write(piece: Uint8Array, from: number, to: number): void {
    if (from === to) return
    this.#pull.feed(piece, from, to)
    this.#isDone ||= this.#parser.next().done === true
    if (!this.#pull.isUsedUp) throw new BrokenArchive('The archive has bytes after an end mark')
  }

  /** Whether the parser has read everything. */
  get isDone(): boolean {
    return this.#isDone
  }
}
