/** Dark or light: as the system has it, until the button says otherwise. */
export function startTheme(button) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  function paint(theme) {
    document.documentElement.dataset.theme = theme ?? (dark.matches ? 'dark' : 'light');
    button.textContent = document.documentElement.dataset.theme === 'dark' ? 'Light colors' : 'Dark colors';
  }
  paint(localStorage.getItem('theme'));
  dark.addEventListener('change', () => paint(localStorage.getItem('theme')));
  button.addEventListener('click', () => {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem('theme', next);
    paint(next);
  });
}
