import type { App } from '@slack/bolt';
import { MODAL_CALLBACK_ID } from '../blocks/modal-view.ts';
import { parseSubmission } from '../inbound/interactions.ts';
import { acceptInteraction, type ListenerDeps } from './accept.ts';

/** Submitted modals. `ack()` without arguments closes the modal. */
export function registerViews(app: Pick<App, 'view'>, deps: ListenerDeps): void {
  app.view(MODAL_CALLBACK_ID, async ({ ack, body }) => {
    await ack();
    await acceptInteraction(parseSubmission(body, deps.now()), deps);
  });
}
