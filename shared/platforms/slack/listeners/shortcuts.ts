import type { App } from '@slack/bolt';
import { parseShortcut } from '../inbound/interactions.ts';
import { acceptInteraction, type ListenerDeps } from './accept.ts';

/** Shortcuts in the menu of a message. The app has no global shortcuts. */
export function registerShortcuts(app: Pick<App, 'shortcut'>, deps: ListenerDeps): void {
  app.shortcut({ type: 'message_action' }, async ({ ack, body }) => {
    await ack();
    await acceptInteraction(parseShortcut(body, deps.now()), deps);
  });
}
