import type { LocalSystem } from '../../local/index.ts';
import { createSightings, type Sighting } from './rehearsal.ts';

/** A simulated platform on which questions are asked. */
export type Stage = {
  readonly platform: string;
  /** A question in a channel, one in direct messages, one in the thread of an earlier answer. Returns the id of the message. */
  readonly ask: (
    text: string,
    where: 'channel' | 'direct' | { readonly after: string; readonly answer: Sighting | undefined },
  ) => Promise<string>;
  readonly sightings: ReturnType<typeof createSightings>;
};

/** The simulated Slack. Undefined if it is not simulated. */
export function openSlackStage({ slack }: Pick<LocalSystem, 'slack'>, now: () => number): Stage | undefined {
  const { simulator, botUserId } = slack;
  const user = simulator?.users[0]?.id;
  if (!simulator || user === undefined) return undefined;
  const sightings = createSightings(now);
  const show = (channel: string, ts: string): void => {
    const message = simulator.core.state.messages.get(channel)?.get(ts);
    if (message?.user !== botUserId) return;
    const kind = message.ephemeralTo === undefined ? 'message' : 'private message';
    sightings.add({ kind, id: ts, text: message.text, channel });
  };
  simulator.core.onChange((change) => {
    if (change.kind === 'message') show(change.message.channel, change.message.ts);
    if (change.kind === 'growth') show(change.channel, change.ts);
    if (change.kind === 'removal') sightings.remove(change.ts);
    if (change.kind === 'status')
      sightings.add({
        kind: 'status',
        id: `status ${change.status.words}`,
        text: change.status.words,
        channel: change.status.channel,
      });
  });
  return {
    platform: 'Slack',
    sightings,
    async ask(text, where) {
      if (where === 'direct') return simulator.say(user, text, { channel: 'dm' });
      if (where === 'channel') return simulator.say(user, `<@${botUserId}> ${text}`);
      return simulator.say(user, text, { thread: where.after });
    },
  };
}

/** The simulated Discord. Undefined if it is not simulated. */
export function openDiscordStage(
  { discord }: Pick<LocalSystem, 'discord'>,
  now: () => number,
): Stage | undefined {
  const { simulator } = discord;
  const user = simulator?.core.identity.users[0]?.id;
  if (!simulator || user === undefined) return undefined;
  const { core, applicationId } = simulator;
  const sightings = createSightings(now);
  core.onChange((change) => {
    if (change.kind === 'removal') sightings.remove(change.id);
    if (change.kind !== 'message' || change.message.author !== applicationId) return;
    const { id, content, channel, ephemeralTo } = change.message;
    sightings.add({
      kind: ephemeralTo === undefined ? 'message' : 'private message',
      id,
      text: content,
      channel,
    });
  });
  return {
    platform: 'Discord',
    sightings,
    async ask(text, where) {
      if (where === 'direct') return core.say(user, text, { channel: core.dm(user) });
      if (where === 'channel') return core.say(user, `<@${applicationId}> ${text}`);
      const { answer } = where;
      if (answer === undefined) return core.say(user, `<@${applicationId}> ${text}`);
      return core.say(user, text, { channel: answer.channel, replyTo: answer.id });
    },
  };
}
