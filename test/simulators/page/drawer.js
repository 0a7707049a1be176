const isOpen = () => document.body.classList.contains('side-open');

/** In a narrow window the left side is a drawer, which a button opens: see `side.css`. */
export function startDrawer({ side, button, scrim }) {
  function set(open) {
    const hadFocus = side.contains(document.activeElement);
    document.body.classList.toggle('side-open', open);
    button.setAttribute('aria-expanded', String(open));
    scrim.hidden = !open;
    if (open) (side.querySelector('[aria-current]') ?? side).focus();
    else if (hadFocus) button.focus();
  }
  button.addEventListener('click', () => set(!isOpen()));
  scrim.addEventListener('click', () => set(false));
  // Whatever was chosen in it is in the address.
  addEventListener('hashchange', () => isOpen() && set(false));
  // Before others that close something: the drawer lies above them.
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !isOpen()) return;
      event.stopImmediatePropagation();
      set(false);
    },
    true,
  );
}
