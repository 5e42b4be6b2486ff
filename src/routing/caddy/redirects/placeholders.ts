/**
 * Caddy's placeholders: it replaces `{file./etc/passwd}` and `{env.SECRET}` in most texts of its configuration.
 * What a caller wrote goes in through `literal`, or where Caddy replaces nothing, and never in any other way.
 */

/**
 * A text that Caddy takes as it is. It looks at each brace and at the one character before it, and drops a backslash
 * there: one is right for any brace, also where the caller's text has backslashes before it. Source: replacer.go.
 */
export const literal = (text: string): string => text.replace(/[{}]/g, '\\$&')

/** Set by the front, which is the only one that can reach the rules' server, over whatever a client sends. */
export const scheme = '{http.request.header.X-Forwarded-Proto}'
