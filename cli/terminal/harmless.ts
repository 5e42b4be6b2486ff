/**
 * Makes text harmless for a terminal. Names, reasons and lines of logs come from servers, buckets and other people. With
 * control characters such a text could move the cursor, change what is shown or answer in the person's place. Pure.
 */

/** C0 except line feed and tab, DEL, C1, and the characters that override the direction of text. */
const harmful = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/**
 * Writes harmful characters as `\u001b`. This is also how JSON writes them, so JSON keeps its value. Line ends of
 * Windows become line feeds.
 */
export const harmless = (text: string): string =>
  text
    .replace(/\r(?=\n|$)/g, '')
    .replace(harmful, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The text to write to a stream. A file or another program gets every character as it is. */
export const textFor = ({ isTTY }: { isTTY?: boolean }, text: string): string =>
  isTTY === true ? harmless(text) : text
