import type { App } from '@slack/bolt';
import { parseHome } from '../inbound/interactions.ts';
import { parseReaction } from '../inbound/reaction.ts';
import { acceptBody, acceptInteraction, type ListenerDeps } from './accept.ts';

/** Events that become a chat event. */
const CHAT_EVENTS = [
  'agent_session_stopped',
  'app_mention',
  'app_uninstalled',
  'channel_deleted',
  'group_deleted',
  'message',
  'team_access_revoked',
] as const;

/**
 * Events of the Events API. Bolt acknowledges them itself. A new one also needs its name and its scope in
 * `../oauth/scopes.ts`, from which the app manifest is made; a test compares them.
 */
export function registerEvents(app: Pick<App, 'event'>, deps: ListenerDeps): void {
  for (const type of CHAT_EVENTS) app.event(type, async ({ body }) => acceptBody(body, deps));

  app.event('app_home_opened', async ({ body }) => acceptInteraction(parseHome(body, deps.now()), deps));
  app.event('reaction_added', async ({ body }) => acceptInteraction(parseReaction(body, deps.now()), deps));
}
