/** Styles that a part of the console brings along: the Content-Security-Policy allows them as objects, not as text. */

/** Adds rules to the page. Returns the function that removes them. */
export function addStyles(text: string): () => void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets.push(sheet)
  return () => removeSheet(sheet)
}

/** What xterm uses instead of a style element. Its text becomes a style sheet, which leaves the page with the element. */
export function styleSheetElement(): HTMLElement {
  const sheet = new CSSStyleSheet()
  document.adoptedStyleSheets.push(sheet)
  const element = document.createElement('span')
  element.hidden = true
  Object.defineProperty(element, 'textContent', { set: (text: string) => sheet.replaceSync(text) })
  element.remove = () => {
    HTMLElement.prototype.remove.call(element)
    removeSheet(sheet)
  }
  return element
}

function removeSheet(sheet: CSSStyleSheet) {
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet)
}
