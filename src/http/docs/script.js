// The script of the reference page: copy buttons, this server's address in the first example, and in the contents the
// search field, folding on narrow screens and the mark of the current section.
// The page also works without JavaScript.
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
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
}

const first = document.querySelector('#begin code:not(p code)')
if (location.origin.startsWith('http')) {
  first.textContent = first.textContent.replace('http://127.0.0.1:3000', location.origin)
}

const filter = document.querySelector('#filter')
filter.hidden = false
filter.addEventListener('input', () => {
  const wanted = filter.value.trim().toLowerCase()
  for (const list of document.querySelectorAll('nav ul.operations')) {
    for (const item of list.children) item.hidden = !item.firstChild.hash.slice(1).toLowerCase().includes(wanted)
    list.hidden = [...list.children].every((item) => item.hidden)
    list.previousElementSibling.hidden = list.hidden
  }
})

const contents = document.querySelector('nav details')
const narrow = matchMedia('(max-width: 56rem)')
const fold = () => {
  contents.open = !narrow.matches
}
narrow.addEventListener('change', fold)
fold()
contents.addEventListener('click', (event) => {
  if (narrow.matches && event.target.closest('li a')) contents.open = false
})

const links = new Map([...document.querySelectorAll('nav li a')].map((link) => [link.hash.slice(1), link]))
const inView = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) links.get(target.id)?.classList.toggle('current', isIntersecting)
  },
  { rootMargin: '-10% 0px -70% 0px' },
)
for (const id of links.keys()) {
  const target = document.getElementById(id)
  if (target) inView.observe(target)
}
