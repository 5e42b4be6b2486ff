/**
 * Escapes Caddy's placeholders. Caddy expands `{file./etc/passwd}` and `{env.SECRET}` in most texts of its
 * configuration, so a caller's text may only go through `literal`, or into fields where Caddy expands nothing.
 */

/**
 * Escapes a text so that Caddy does not change it. For each brace, Caddy looks at the one character before it and
 * removes a backslash there. One backslash is therefore right even if the caller's text has backslashes there. Source:
 * replacer.go.
 */
export const literal = (text: string): string => text.replace(/[{}]/g, '\\$&')

/**
 * The scheme of the client's request. The front overwrites this header, and only the front can reach the process of
 * rules.
 */
export const scheme = '{http.request.header.X-Forwarded-Proto}'
