import type { App } from '@slack/bolt';
import { parseButtonAction } from '../inbound/block-actions.ts';
import { parseControl } from '../inbound/interactions.ts';
import { acceptEvent, acceptInteraction, type ListenerDeps } from './accept.ts';

/** Ids of the buttons that change an answer, as `serializeButton` in `../blocks/answer-blocks.ts` makes them. */
const ANSWER_BUTTON = /^parley:(?:stop|regenerate|continue|version)(?::\d{1,2})?$/;
/** Ids of the controls of a card, as `../blocks/card-blocks.ts` makes them, and of the ratings below an answer. */
const CARD_CONTROL = /^(?:card:|parley:feedback)/;

/** Buttons and menus that people use in a message or in App Home. */
export function registerActions(app: Pick<App, 'action'>, deps: ListenerDeps): void {
  app.action(ANSWER_BUTTON, async ({ ack, body }) => {
    await ack();
    await acceptEvent(parseButtonAction(body), deps);
  });

  app.action(CARD_CONTROL, async ({ ack, body }) => {
    await ack();
    await acceptInteraction(parseControl(body, deps.now()), deps);
  });
}
