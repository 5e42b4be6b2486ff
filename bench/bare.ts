/**
 * The process of the server with which Berth is compared: `node:http` and one SQL statement per request. A read returns
 * the text that is stored for the URL. A write makes one committed insert (WAL, full sync) and returns the text of its
 * path. The server has no tokens, no checks and no log. Argument: the file for its table.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

/** Method and URL -> the answer's text. */
export type Answers = Record<string, string>

function serve(answers: Answers): http.Server {
  const file = new DatabaseSync(process.argv[2]!)
  file.exec('pragma journal_mode = wal; pragma synchronous = full')
  file.exec('create table answer (key text primary key, body text not null)')
  file.exec('create table written (id integer primary key, body text)')
  const insert = file.prepare('insert into answer values (?, ?)')
  for (const [key, body] of Object.entries(answers)) insert.run(key, body)
  const read = file.prepare('select body from answer where key = ?')
  const write = file.prepare('insert into written (body) values (?)')

  return http.createServer((request, response) => {
    if (request.method === 'GET') return send(response, (read.get(`GET ${request.url}`) as { body: string }).body)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      write.run(Buffer.concat(parts).toString())
      send(response, answers[`POST ${request.url}`]!)
    })
  })
}

function send(response: http.ServerResponse, body: string) {
  const length = Buffer.byteLength(body)
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': length })
  response.end(body)
}

process.once('message', (answers: Answers) => {
  const server = serve(answers).listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
})
