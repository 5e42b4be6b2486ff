/** What the bench uses of autocannon 9, which comes without types. */
declare module 'autocannon' {
  export interface Request {
    method: string
    path: string
    headers: Record<string, string>
    body?: string
    /** Called before each request; gives what is sent. */
    setupRequest?(request: Request): Request
  }

  export interface Options {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    /** Milliseconds from one look at the end of the run to the next. */
    sampleInt: number
    requests: Request[]
  }

  interface Run extends PromiseLike<{ errors: number; timeouts: number; non2xx: number }> {
    on(event: 'response', listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void): Run
  }

  export default function autocannon(options: Options): Run
}
