import { randomBytes } from 'node:crypto';
import type { Channel, Json, Message } from './state.ts';
import type { SimulatorContext } from './context.ts';
import { RefusalError } from './context.ts';
import { mentions } from './typed-text.ts';

/** How long a token is valid. Slack says only that it is for an answer to the interaction: a guess. */
const TOKEN_TTL_MS = 10 * 60_000;

/**
 * The field of an event with which the app may search for its author: of direct messages and of messages that mention the app, a new token in each
 * event. That other messages have none is what people's samples show, not documented.
 */
export function actionTokenOf(context: SimulatorContext, channel: Channel, message: Message): Json {
  const { botUserId } = context.identity;
  const isAddressed = channel.kind === 'im' || mentions(message.text, botUserId);
  if (!isAddressed || message.user === botUserId) return {};
  const token = `10647138185092.960606587777.${randomBytes(16).toString('hex')}`;
  const now = context.now();
  // The oldest come first.
  for (const [old, { until }] of context.actionTokens) {
    if (until >= now) break;
    context.actionTokens.delete(old);
  }
  context.actionTokens.set(token, { user: message.user, until: now + TOKEN_TTL_MS });
  return { assistant_thread: { action_token: token } };
}

/** The person of a token. Refuses one that is missing, unknown or expired. */
export function personOfToken({ actionTokens, now }: SimulatorContext, token: string | undefined): string {
  const known = token === undefined ? undefined : actionTokens.get(token);
  if (!known || known.until < now()) throw new RefusalError('invalid_action_token');
  return known.user;
}
