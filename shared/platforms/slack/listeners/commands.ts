import type { App } from '@slack/bolt';
import { parseCommand } from '../inbound/interactions.ts';
import { acceptInteraction, type ListenerDeps } from './accept.ts';

/** Slash commands. Which names exist is a setting of the deployment, so all are accepted here; the worker knows them. */
export function registerCommands(app: Pick<App, 'command'>, deps: ListenerDeps): void {
  app.command(/^\//, async ({ ack, body }) => {
    await ack();
    await acceptInteraction(parseCommand(body, deps.now()), deps);
  });
}
