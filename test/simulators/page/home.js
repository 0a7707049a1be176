import { blocksView } from './blocks.js';
import { element } from './dom.js';
import { morphChildren } from './morph.js';
import { ask, notice } from './notice.js';

/** Shows the Home tab of the app as a person sees it. It is drawn once for each state, so that menus stay open. */
export function drawHome(state, person, pane) {
  const home = [...state.views.values()].find((one) => one.kind === 'home' && one.user === person);
  const sign = `${person}/${JSON.stringify(home?.view ?? {})}`;
  if (pane.dataset.sign === sign) return;
  pane.dataset.sign = sign;
  const press = (block, nth, value) => void pressHome({ user: person, block, element: nth, value });
  const blocks = home ? blocksView(state, home.view.blocks ?? [], press) : [];
  const empty = element('p', { class: 'faint' }, 'Parley has not shown anything here yet.');
  morphChildren(pane, [element('div', { class: 'body home' }, ...(blocks.length > 0 ? blocks : [empty]))]);
}

async function pressHome(pressed) {
  const outcome = await ask('presshome', pressed);
  if (outcome?.acknowledged === false)
    notice('⚠ Parley did not take what you pressed. Slack does not try again.', 15_000);
}
