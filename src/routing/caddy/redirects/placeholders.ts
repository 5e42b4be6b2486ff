/**
 * Escapes Caddy's placeholders. Caddy expands `{file./etc/passwd}` and `{env.SECRET}` in most texts of its
 * configuration. Text of a caller must therefore be escaped with `literal`, or be used only in fields where Caddy
 * expands nothing.
 */

/**
 * Escapes a text so that Caddy does not change it. Caddy checks only the one character before each brace, and removes
 * it if it is a backslash. One added backslash is therefore right even after other backslashes. Source: replacer.go.
 */
export const literal = (text: string): string => text.replace(/[{}]/g, '\\$&')

/**
 * The scheme of the client's request. The header can be trusted: `front` overwrites it, and `rules` gets requests only
 * from `front` and through `keys`, which gets them from `front`.
 */
export const scheme = '{http.request.header.X-Forwarded-Proto}'
