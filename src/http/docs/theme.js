// Light or dark colours as chosen in the console (console/shell/theme.ts). A choice in another tab applies at once.
const colours = 'berth-theme'
try {
  document.documentElement.dataset.theme = localStorage.getItem(colours) ?? ''
} catch {
  // The browser stores nothing for this page: the colours are those of the system.
}
addEventListener('storage', ({ key, newValue }) => {
  if (key === colours) document.documentElement.dataset.theme = newValue ?? ''
})
