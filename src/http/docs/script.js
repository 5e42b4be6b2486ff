// The script of the reference page: copy buttons, tabs of the examples, this server's address in the first one, and in
// the contents the search field, folding on narrow screens and the mark of the current section.
// The page also works without JavaScript.
const copied = document.querySelector('#copied')

for (const button of document.querySelectorAll('.copy')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const code = button.parentElement.querySelector('code')
    try {
      await navigator.clipboard.writeText(code.textContent)
    } catch {
      getSelection().selectAllChildren(code)
      document.execCommand('copy')
    }
    button.textContent = 'Copied'
    copied.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
      copied.textContent = ''
    }, 1500)
  })
}

if (location.origin.startsWith('http')) {
  for (const code of document.querySelectorAll('#begin pre code')) {
    code.textContent = code.textContent.replace('http://127.0.0.1:3000', location.origin)
  }
}

// The forms of an example become tabs. The choice applies to all examples and is remembered.
const choice = 'berth-example'
const groups = [...document.querySelectorAll('.forms')].map(tabsOf)

function tabsOf(forms) {
  const list = document.createElement('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Forms of the example')
  const panels = [...forms.children]
  const tabs = panels.map((panel, at) => {
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.textContent = panel.querySelector('.form-name').textContent
    tab.setAttribute('role', 'tab')
    panel.id = `${forms.closest('[id]').id}-form-${at}`
    tab.id = `${panel.id}-tab`
    tab.setAttribute('aria-controls', panel.id)
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', tab.id)
    panel.querySelector('.form-name').hidden = true
    tab.addEventListener('click', () => chooseAt(tab, at))
    return tab
  })
  list.append(...tabs)
  list.addEventListener('keydown', (event) => {
    const at = tabs.indexOf(event.target)
    const targets = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }
    const next = tabs.at(targets[event.key] % tabs.length)
    if (!(event.key in targets)) return
    event.preventDefault()
    next.focus({ preventScroll: true })
    next.click()
  })
  forms.prepend(list)
  return { tabs, panels }
}

// Shows the form with this number in all examples.
function show(chosen) {
  for (const { tabs, panels } of groups) {
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === chosen))
      tab.tabIndex = at === chosen ? 0 : -1
      panels[at].hidden = at !== chosen
    }
  }
}

// The examples above may get another height. The chosen tab stays where it is on the screen.
function chooseAt(tab, at) {
  const before = tab.getBoundingClientRect().top
  show(at)
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
  try {
    localStorage.setItem(choice, tab.textContent)
  } catch {
    // The browser stores nothing for this page.
  }
}

function rememberedForm() {
  try {
    return groups[0].tabs.findIndex(({ textContent }) => textContent === localStorage.getItem(choice))
  } catch {
    return 0
  }
}
show(Math.max(0, rememberedForm()))

const filter = document.querySelector('#filter')
const entries = [...document.querySelectorAll('nav li:not(.part)')]
filter.hidden = false
filter.addEventListener('input', () => {
  const wanted = filter.value.trim().toLowerCase()
  for (const entry of entries) {
    const { hash, textContent } = entry.firstChild
    entry.hidden = !`${hash} ${textContent}`.toLowerCase().includes(wanted)
  }
  for (const part of document.querySelectorAll('.part')) {
    part.hidden = [...part.querySelectorAll('li')].every((entry) => entry.hidden)
  }
  const count = entries.filter((entry) => !entry.hidden).length
  document.querySelector('#found').textContent = wanted === '' ? '' : `${count === 0 ? 'Nothing' : count} found`
})
filter.addEventListener('keydown', (event) => {
  const first = entries.find((entry) => !entry.hidden)
  if (event.key === 'Enter' && filter.value.trim() !== '') first?.firstChild.click()
})

// On narrow screens a button shows and hides the contents.
const menu = document.querySelector('#menu')
const contents = document.querySelector('#contents')
const setOpen = (isOpen) => {
  menu.setAttribute('aria-expanded', String(isOpen))
  contents.classList.toggle('open', isOpen)
}
menu.addEventListener('click', () => setOpen(menu.getAttribute('aria-expanded') === 'false'))
contents.addEventListener('click', (event) => {
  if (event.target.closest('a')) setOpen(false)
})
contents.parentElement.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || menu.getAttribute('aria-expanded') === 'false') return
  setOpen(false)
  menu.focus()
})

const links = new Map([...contents.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]))
const inView = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      const link = links.get(target.id)
      if (isIntersecting) {
        link.setAttribute('aria-current', 'location')
        link.scrollIntoView({ block: 'nearest', behavior: 'instant' })
      } else link.removeAttribute('aria-current')
    }
  },
  { rootMargin: '-10% 0px -70% 0px' },
)
for (const id of links.keys()) {
  const target = document.getElementById(id)
  // A group would be marked together with its operations.
  if (!target.matches('.group, #records')) inView.observe(target)
}
