import { ask, notice } from './notice.js';

const REASONS = {
  http_timeout: 'it did not answer within 3 seconds',
  connection_failed: 'nothing answers at its address',
  http_error: 'it answered with an error',
};

/** Which thumb each person pressed under which message: Slack's own windows remember it, nobody else does. */
const thumbs = new Map();

const keyOf = (person, message, at) => `${person}/${message.channel}/${message.ts}/${at}`;

/** A person presses a button. Slack shows a warning when the app does not take it in time. */
export async function press(person, message, block, nth, value) {
  const at = `${block}/${nth}`;
  if (value !== undefined) {
    thumbs.set(keyOf(person, message, at), value);
    for (const view of document.querySelectorAll(`[data-ts="${message.ts}"]`))
      markThumbs(view, person, message);
  }
  const where = { user: person, channel: message.channel, ts: message.ts };
  const answer = await ask('press', {
    ...where,
    block,
    element: nth,
    ...(value === undefined ? {} : { value }),
  });
  if (answer?.acknowledged === false)
    notice(
      `⚠ Parley did not take what you pressed: ${REASONS[answer.reason]}. Slack does not try again.`,
      15_000,
    );
}

/** Shows which thumb this person pressed. */
export function markThumbs(view, person, message) {
  for (const button of view.querySelectorAll('.thumb')) {
    const [block, nth, ...value] = button.dataset.key.split('/');
    const chosen = thumbs.get(keyOf(person, message, `${block}/${nth}`));
    button.setAttribute('aria-pressed', String(chosen === value.join('/')));
  }
}
