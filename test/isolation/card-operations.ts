import { flat } from '../simulators/discord/check/components.ts';
import { stringOf } from '../simulators/discord/json.ts';
import type { Json } from '../simulators/discord/json.ts';
import type { Message as DiscordMessage } from '../simulators/discord/state.ts';
import type { Message as SlackMessage } from '../simulators/slack/state.ts';
import { pick } from './commands.ts';
import * as discord from './discord-operations.ts';
import type { IsolationHarness } from './harness.ts';
import type { Operation } from './operation.ts';
import { RECENT } from './slack-actor.ts';
import * as slack from './slack-operations.ts';

/**
 * Presses a button that matches `action`, on one of the last cards with one. `presserOf` names the person, if any; cards that this
 * person does not see are left out. `forge` changes the action before it is sent.
 */
export function pressSlackCard(
  harness: IsolationHarness,
  action: RegExp,
  presserOf: (message: SlackMessage, tenant: string, channel: string) => string | undefined,
  forge?: (action: Json) => Json,
): Operation | undefined {
  const cards = harness.slack.flatMap((of) =>
    [...of.sim.state.messages].flatMap(([channel, messages]) =>
      [...messages.values()].flatMap((message) => {
        if (!action.test(JSON.stringify(message.blocks ?? []))) return [];
        const user = presserOf(message, of.tenant, channel);
        const at = user === undefined ? undefined : { of, user, channel };
        return at && slack.canSee(at, message) ? [{ at, message, action }] : [];
      }),
    ),
  );
  const card = pick(harness.random, cards.slice(-RECENT));
  return card && slack.pressOn(harness, card, forge);
}

/** Presses a button that matches `action`, on one of the last cards with one. `presserOf` names the person, if any. */
export function pressDiscordCard(
  harness: IsolationHarness,
  action: RegExp,
  presserOf: (message: DiscordMessage) => string | undefined,
  forge?: (data: Json) => Json,
): Operation | undefined {
  const { messages, users } = harness.discord.state;
  const cards = [...messages.values()]
    .flatMap((channel) => [...channel.values()])
    .flatMap((message) => {
      const actions = message.components.flatMap(flat).map((one) => stringOf(one['custom_id']));
      if (!actions.some((one) => action.test(one))) return [];
      const user = users.get(presserOf(message) ?? '');
      const isMember = user !== undefined && harness.members('', message.channel).includes(user.id);
      return isMember ? [{ at: { user, channel: message.channel }, message, action }] : [];
    });
  const card = pick(harness.random, cards.slice(-RECENT));
  return card && discord.pressOn(harness, card, forge);
}
