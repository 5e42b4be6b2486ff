/**
 * `node:http`, past the import of its names: that reads them all, the client of WebSockets too, and so loads undici and
 * the streams of browsers, 10 MiB and 30 ms of which Berth uses nothing. Types are imported as ever.
 */
export const nodeHttp = process.getBuiltinModule('node:http')
