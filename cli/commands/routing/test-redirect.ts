/** berth route test: the redirect that the proxy answers for a URL. */
import type { Client, Operations } from '../../../client/client.ts'
import type { CommandDeclaration, Outcome } from '../../command.ts'
import { CommandError } from '../../exit.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'

interface Options extends CommonOptions {
  application?: string
  regex?: string
  replacement?: string
  permanent?: true
}

type Answer = Awaited<ReturnType<Operations['redirects']['test']>>
type Redirect = Awaited<ReturnType<Operations['redirects']['all']>>[number]

export const testCommand: CommandDeclaration = {
  name: 'test',
  description: 'say which redirect applies to a URL, without a request',
  arguments: [['<url>', 'the URL as a person types it into a browser']],
  options: [
    ['--application <name>', 'test the redirects of this application; default: the one that has the host'],
    ['--regex <regex>', 'try this pattern too, as a new redirect that comes last'],
    ['--replacement <replacement>', 'where the tried redirect leads'],
    ['--permanent', 'the tried redirect answers 301 in place of 302'],
  ],
  examples: [
    'berth route test http://www.example.org/old',
    "berth route test http://web.example.org/a --regex '/(a)$' --replacement '/b/${1}'",
  ],
  run: testRedirects,
}

async function testRedirects({ open, output }: Session, options: Options, url: string): Promise<Outcome> {
  const { application: applicationId, regex, replacement, permanent } = options
  if ((regex === undefined) !== (replacement === undefined))
    throw new CommandError('usage', 'A redirect has a pattern and a replacement. Give --regex and --replacement')
  const client = open(options)
  const answer = await client.redirects.test({
    url,
    ...(applicationId === undefined ? {} : { applicationId }),
    ...(regex === undefined || replacement === undefined ? {} : { regex, replacement }),
    ...(permanent === true ? { permanent } : {}),
  })
  const redirects = await readRedirects(client, answer)
  return {
    json: answer,
    show() {
      output.line(resultText(answer))
      if (answer.reason !== null) output.remark(`Requests do not get this answer now: ${answer.reason}`)
      output.table(
        ['rule', 'pattern', 'matches', 'location'],
        answer.rules.map((each) => [
          each.redirectId ?? 'not stored',
          redirects.get(each.redirectId)?.regex ?? regex ?? '',
          each.matched ? 'yes' : 'no',
          each.location ?? '-',
        ]),
      )
    },
  }
}

/** Reads the redirects in the answer, by id. */
async function readRedirects(client: Client, { rules }: Answer): Promise<Map<string | null, Redirect>> {
  if (rules.every(({ redirectId }) => redirectId === null)) return new Map()
  return new Map((await client.redirects.all()).map((redirect) => [redirect.redirectId, redirect]))
}

function resultText({ result, url, location, getStatus, redirectId, groups }: Answer): string {
  if (result === 'unknownHost') return `No application has the host of ${url}. The proxy answers 404.`
  if (result === 'none') return `No redirect applies to ${url}. The application gets the request.`
  const answer = `${url} is redirected to ${location} (${getStatus})`
  if (result === 'https') return `${answer}, before all redirects, because of the label berth.tls.`
  const texts = groups.filter(({ name }) => name !== '0').map(({ name, text }) => `${name} is '${text}'`)
  const by = redirectId === null ? 'the redirect that is not stored' : redirectId
  return `${answer} by ${by}.${texts.length === 0 ? '' : ` Groups: ${texts.join(', ')}.`}`
}
